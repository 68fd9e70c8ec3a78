import { Icon } from "../widgets/Icon";
import { clearNotices, useNotices } from "../address/corrections";
import { useAddressCorrections } from "./addressCorrections";

// What the address asked for and the page could not do.
export function Notices() {
  useAddressCorrections();
  const notices = useNotices();
  if (notices.length === 0) return null;
  return (
    <div className="banner notice" role="status" aria-label="The address was put right">
      <ul className="plain-list">
        {notices.map((notice) => (
          <li key={notice}>{notice}</li>
        ))}
      </ul>
      <button className="icon-button" aria-label="Close" onClick={clearNotices}>
        <Icon name="close" />
      </button>
    </div>
  );
}
