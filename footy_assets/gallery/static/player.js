// Keyboard shortcuts of the player, and the button that copies the share link.
"use strict";

const player = document.getElementById("player");
const share = document.getElementById("share");

const seek = (seconds) => {
  player.currentTime = Math.max(0, Math.min(player.duration || 0, player.currentTime + seconds));
};
const keys = {
  ArrowLeft: () => document.getElementById("previous")?.click(),
  ArrowRight: () => document.getElementById("next")?.click(),
  j: () => seek(-5),
  l: () => seek(5),
  k: () => (player.paused ? player.play() : player.pause()),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  // While the player has the focus, arrow keys seek within the clip.
  const inside = event.target === player && event.key.startsWith("Arrow");
  if (typing || inside || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

// A browser passes over a source that it cannot open by itself. One that fails later, half way, is
// replaced by the last, which plays everywhere.
const fallback = player.querySelector("source:last-of-type");
player.addEventListener(
  "error",
  (event) => {
    if (event.target === player && fallback && player.currentSrc !== fallback.src) {
      const at = player.currentTime;
      player.src = fallback.src;
      player.currentTime = at;
      player.play();
    } else if (event.target === player || event.target === fallback) {
      document.getElementById("player-problem").hidden = false;
    }
  },
  true,
);

share.addEventListener("click", async () => {
  const label = "Copy link";
  try {
    await navigator.clipboard.writeText(share.dataset.link);
    share.textContent = "Link copied";
  } catch {
    share.textContent = share.dataset.link;
  }
  document.getElementById("announcer").textContent = share.textContent;
  setTimeout(() => (share.textContent = label), 4000);
});
