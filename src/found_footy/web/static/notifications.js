// Subscribes this browser to news about goals: the push service's address and keys go to the server with the form.

const form = document.getElementById("subscribe");
const problem = document.getElementById("subscribe-problem");

function explain(text) {
  problem.textContent = text;
  problem.hidden = false;
}

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error("this browser is not allowed to show notifications of this page; change that in its settings");
  }
  const registration = await navigator.serviceWorker.ready;
  const earlier = await registration.pushManager.getSubscription();
  await earlier?.unsubscribe(); // it may belong to another key
  const found = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytes(form.dataset.key),
  });
  const { endpoint, keys } = found.toJSON();
  form.elements.endpoint.value = endpoint;
  form.elements.p256dh.value = keys.p256dh;
  form.elements.auth.value = keys.auth;
  const chosen = [...form.querySelectorAll("[data-moment]:checked")].map((box) => box.dataset.moment);
  form.elements.moments.value = chosen.join(",");
  form.submit();
}

if (form) {
  if (!("PushManager" in window) || !navigator.serviceWorker || !window.isSecureContext) {
    explain("This browser takes no push messages here: it needs https, or an address on this machine.");
  } else {
    document.getElementById("subscribe-button").disabled = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      problem.hidden = true;
      subscribe().catch((error) => explain(`Not subscribed: ${error.message}`));
    });
  }
}
