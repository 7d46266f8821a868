// The ten usual wishes, each as the rows of the form that it fills in.
"use strict";
const footyWishes = (() => {
  const bothSides = ["home", "away"];
  return [
    { label: "Any goal", limit: 0, rows: [{ event: "football.goal.team", compare: "in", targets: bothSides }] },
    { label: "A goal of the home side", limit: 0, rows: [{ event: "football.goal.team", compare: "in", targets: ["home"] }] },
    { label: "A goal of the away side", limit: 0, rows: [{ event: "football.goal.team", compare: "in", targets: ["away"] }] },
    { label: "A player scores", limit: 0, rows: [{ event: "football.goal.player", compare: "in", targets: null }] },
    { label: "A hat-trick", limit: 1, rows: [{ event: "football.player.scores", compare: "eq", targets: ["3"], who: null }] },
    { label: "A goal after 80 minutes", limit: 0, rows: [
      { event: "football.goal.team", compare: "in", targets: bothSides },
      { event: "football.match.minute", compare: "gt", targets: ["80"] }] },
    { label: "A red card", limit: 0, rows: [{ event: "football.card.type", compare: "in", targets: ["red", "second yellow"] }] },
    { label: "A penalty, scored or missed", limit: 0, rows: [{ event: "football.penalty.outcome", compare: "in", targets: ["scored", "missed"] }] },
    { label: "The final whistle", limit: 1, rows: [{ event: "football.match.status", compare: "in", targets: ["FT", "AET", "PEN"] }] },
    { label: "The clip of any goal", limit: 0, rows: [{ event: "football.clip.team", compare: "in", targets: bothSides }] },
  ];
})();
