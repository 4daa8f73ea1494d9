// Draws FILE with snapcompact in each SHAPE, RUNS times, and prints a line of
// JSON for each shape: bun render.mjs FILE RUNS SHAPE...
import { readFileSync } from "node:fs";
import { renderMany, SHAPE_VARIANTS } from "@oh-my-pi/snapcompact";

const [file, runs, ...names] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
for (const name of names) {
  const shape = { ...SHAPE_VARIANTS[name], frameTokenEstimate: 1 };
  await renderMany(text.slice(0, 50_000), { shape }); // loads fonts, compiles
  let wall = Infinity, cpu = Infinity, frames;
  for (let i = 0; i < Number(runs); i++) {
    const before = process.cpuUsage(), start = performance.now();
    frames = await renderMany(text, { shape });
    wall = Math.min(wall, performance.now() - start);
    const used = process.cpuUsage(before);
    cpu = Math.min(cpu, (used.user + used.system) / 1000);
  }
  const bytes = frames.reduce((n, f) => n + (f.data.length * 3) / 4, 0);
  console.log(JSON.stringify({ pages: frames.length, bytes, wall_ms: wall, cpu_ms: cpu }));
}
