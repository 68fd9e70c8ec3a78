// Why a view of ops is empty, and where to look instead.
import { useProfile } from "../api/queries";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";

export function NoOps() {
  const { params } = useRoute();
  const profile = useProfile();
  if ((profile?.ops ?? 0) === 0 && (profile?.ranges ?? 0) > 0) {
    return (
      <>
        The program ran no ops of PyTorch or another framework that was recorded. What it names itself is under{" "}
        <a href={linkTo("ranges", params)}>Ranges</a>.
      </>
    );
  }
  if ((profile?.ops ?? 0) > 0) return <>No ops are in this range: the whole run, or other iterations, may have some.</>;
  return <>The profile has no ops: it was recorded without the framework&apos;s events.</>;
}
