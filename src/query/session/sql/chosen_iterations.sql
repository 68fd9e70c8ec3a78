-- in_range(iteration): whether it was chosen.
CREATE TEMP MACRO in_range(number) AS
    $whole
    OR (number BETWEEN $first AND $last AND ($left_out = '[]' OR NOT list_contains($left_out::BIGINT[], number)));

CREATE TEMP VIEW sel_iterations AS FROM all_iterations WHERE in_range(number)
