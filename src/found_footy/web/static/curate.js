// A take-down is confirmed in a dialog instead of on a page of its own.

const dialog = document.getElementById("take-down-dialog");

document.addEventListener("submit", (event) => {
  const form = event.target.closest?.("form[data-confirm]");
  if (!form || !dialog?.showModal || form.elements.confirmed) return;
  event.preventDefault();
  dialog.returnValue = "no";
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && confirm(form), { once: true });
  dialog.showModal();
});

function confirm(form) {
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "confirmed", value: "yes" });
  form.append(field);
  form.requestSubmit();
}
