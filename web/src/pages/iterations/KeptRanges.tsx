import { deleteAt } from "../../api/client";
import { useProfileId } from "../../api/queries";
import type { AggregationsAnswer } from "../../api/types";
import { rangeWords } from "../../app/rangeWords";
import { linkTo, RANGE_KEYS } from "../../app/route";
import { useRoute, useSetParams } from "../../app/useRoute";
import { Card } from "../../widgets/Card";
import { Icon } from "../../widgets/Icon";
import { pageWords } from "../../widgets/words";

const NONE = Object.fromEntries(RANGE_KEYS.map((key) => [key, null]));

export function KeptRanges({ answer, changed }: { answer: AggregationsAnswer; changed: () => void }) {
  const list = answer.aggregations;
  const { params } = useRoute();
  const profile = useProfileId();
  const setParams = useSetParams();
  const chosen = params.get("aggregation");
  const remove = async (id: string) => {
    await deleteAt(`/profiles/${profile}/aggregations/${id}`);
    if (chosen === id) setParams({ aggregation: null });
    changed();
  };
  return (
    <section className="below">
      <Card title={answer.kept ? "Kept ranges" : "Named ranges"} note={answer.kept ? "for this and later starts" : `not kept: gone when the viewer ends, because ${pageWords(answer.not_kept_because ?? "they cannot be written")}`}>
        <ul className="kept">
          {list.map((each) => (
            <li key={each.id} className={each.id === chosen ? "chosen" : undefined}>
              <a href={linkTo("iterations", params, { ...NONE, aggregation: each.id })} aria-current={each.id === chosen ? "true" : undefined}>
                {each.name}
              </a>
              <span className="hint">{rangeWords(each.range)}</span>
              <span className="hint">{each.range.description}</span>
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${each.name}`}
                onClick={() => {
                  void remove(each.id);
                }}
              >
                <Icon name="trash" size={14} />
              </button>
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}
