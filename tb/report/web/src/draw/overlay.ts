import {boxOf} from '../hit';
import {kRuler} from '../layout';
import {samePick} from '../pick';
import type {Scene} from '../scene';
import {duration} from '../units';

/// Draws what the user marks: the measured range, the selection and what the pointer is on.
export function drawOverlay(scene: Scene, c: CanvasRenderingContext2D): void {
  if (scene.range) drawRange(scene, c, scene.range);
  for (const pick of [scene.hovered, scene.selected]) {
    const box = pick && boxOf(scene, pick);
    if (!box || (!box.pinned && box.y < scene.view.fold - 4)) continue;
    const {accent, ink} = scene.theme.plain;
    c.strokeStyle = samePick(pick, scene.selected) ? accent : ink;
    c.lineWidth = 2;
    c.strokeRect(box.x - 1, box.y, box.width + 2, box.height);
  }
  c.lineWidth = 1;
}

function drawRange(
    {view, theme}: Scene, c: CanvasRenderingContext2D, range: [number, number]): void {
  const [x0, x1] = range.map(time => view.x(time));
  const left = Math.min(x0, x1), right = Math.max(x0, x1);
  c.globalAlpha = 0.15;
  c.fillStyle = theme.plain.accent;
  c.fillRect(left, kRuler, right - left, view.height);
  c.globalAlpha = 1;
  const text = duration(Math.abs(range[1] - range[0]));
  const middle =
      Math.min(Math.max((left + right) / 2, view.gutter + 40), view.gutter + view.width - 40);
  c.textAlign = 'center';
  const half = c.measureText(text).width / 2 + 4;
  c.fillStyle = theme.plain.back;
  c.fillRect(middle - half, kRuler + 2, 2 * half, 15);
  c.fillStyle = theme.plain.ink;
  c.fillText(text, middle, kRuler + 10);
}
