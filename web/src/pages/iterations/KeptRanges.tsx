import { deleteAt } from "../../api/client";
import { useProfileId } from "../../api/queries";
import type { AggregationsAnswer } from "../../api/types";
import { rangeWords } from "../../widgets/rangeWords";
import { isChosen, keptPatch } from "../../address/keptRange";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { Card } from "../../widgets/Card";
import { Icon } from "../../widgets/Icon";
import { pageWords } from "../../widgets/words";

export function KeptRanges({ answer, changed }: { answer: AggregationsAnswer; changed: () => void }) {
  const list = answer.aggregations;
  const { params } = useRoute();
  const profile = useProfileId();
  const remove = async (id: string) => {
    await deleteAt(`/profiles/${profile}/aggregations/${id}`);
    changed();
  };
  return (
    <section className="below">
      <Card title={answer.kept ? "Kept ranges" : "Named ranges"} note={answer.kept ? "for this and later starts" : `not kept: gone when the viewer ends, because ${pageWords(answer.not_kept_because ?? "they cannot be written")}`}>
        <ul className="kept">
          {list.map((each) => (
            <li key={each.id} className={isChosen(each, params) ? "chosen" : undefined}>
              <a href={linkTo("iterations", params, keptPatch(each))} aria-current={isChosen(each, params) ? "true" : undefined}>
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
