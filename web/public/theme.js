// Runs before the first paint, so that no theme flashes before the right one.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("opsight.theme");
  } catch {
    // Storage is off: the system's theme it is.
  }
  if (theme !== "light" && theme !== "dark") theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
})();
