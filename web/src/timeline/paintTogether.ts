// A collective across its ranks: each part is outlined, and a line goes through their begins, so that who came last stands out.
import { boxOf, outline, RULER_HEIGHT, type Box, type Scene } from "./paint";
import type { Together } from "./together";

const MARK = 4.5;

export function paintTogether(context: CanvasRenderingContext2D, scene: Scene, together: Together): void {
  const { theme } = scene;
  const boxes: { box: Box; last: boolean }[] = [];
  for (const part of together.parts) {
    const box = boxOf(scene, part);
    if (box) boxes.push({ box, last: part.last });
  }
  boxes.sort((a, b) => a.box.y - b.box.y);
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, scene.view.width, scene.height);
  context.clip();
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.6;
  context.setLineDash([5, 3]);
  context.beginPath();
  boxes.forEach(({ box }, i) => {
    if (i === 0) context.moveTo(box.x0, box.y);
    else context.lineTo(box.x0, box.y);
  });
  context.stroke();
  context.setLineDash([]);
  for (const { box, last } of boxes) {
    if (!box.hidden) outline(context, box, last ? theme.accent : theme.text, last ? 2.5 : 1.2);
    // The last one has a full mark, the others an open one: not by colour alone.
    context.beginPath();
    context.arc(box.x0, box.y, MARK, 0, 2 * Math.PI);
    context.fillStyle = last ? theme.accent : theme.surface;
    context.fill();
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.4;
    context.stroke();
  }
  context.restore();
}
