// Sensors that are points of the robot.  A report does not say which sensors are positions, but a vector of three
// numbers that keeps its place in a body's frame, or stays on a rod, all the time is one: it is marked, with its path.
import * as THREE from 'three';
import type { CurveGroup, SceneData } from './data';
import { floats, stem } from './data';
import type { Marker } from './stage';

interface Triple {
  name: string;
  first: number;
}

function triples(group: CurveGroup): Triple[] {
  const out: Triple[] = [];
  for (let i = 0; i + 2 < group.curves.length; i++) {
    const s = stem(group.curves[i]!.name);
    if (['_x', '_y', '_z'].every((c, k) => group.curves[i + k]!.name === s + c)) out.push({ name: s, first: i });
  }
  return out;
}

export interface Found {
  markers: Marker[];
  trails: Float32Array[];
}

export function findMarkers(scene: SceneData, group: CurveGroup | undefined, t: number[], frameAt: (t: number) => Float32Array): Found {
  const found: Found = { markers: [], trails: [] };
  if (!group?.floats) return found;
  const x = floats(group.floats);
  const n = group.curves.length;
  const rows = t.length;
  const samples = Array.from({ length: 12 }, (_, k) => Math.floor(((rows - 1) * k) / 11));
  const frames = samples.map((i) => frameAt(t[i]!).slice());
  const point = (triple: Triple, row: number, out: THREE.Vector3) =>
    out.set(x[row * n + triple.first]!, x[row * n + triple.first + 1]!, x[row * n + triple.first + 2]!);
  for (const triple of triples(group)) {
    const marker = onBody(scene, frames, samples, triple, point) ?? onRod(scene, frames, samples, triple, point);
    if (!marker) continue;
    found.markers.push(marker);
    const step = Math.max(1, Math.ceil(rows / 4000));
    const path: number[] = [];
    for (let i = 0; i < rows; i += step) path.push(x[i * n + triple.first]!, x[i * n + triple.first + 1]!, x[i * n + triple.first + 2]!);
    found.trails.push(Float32Array.from(path));
  }
  return found;
}

type Point = (t: Triple, row: number, out: THREE.Vector3) => THREE.Vector3;

function onBody(scene: SceneData, frames: Float32Array[], rows: number[], t: Triple, point: Point): Marker | null {
  const p = new THREE.Vector3();
  const q = new THREE.Quaternion();
  for (const g of scene.groups) {
    if (g.draw !== 'solid') continue;
    for (const body of g.items!) {
      const o = body.pose;
      const local = frames.map((f, k) => {
        q.set(f[o + 3]!, f[o + 4]!, f[o + 5]!, f[o + 6]!).normalize().invert();
        return point(t, rows[k]!, new THREE.Vector3()).sub(p.set(f[o]!, f[o + 1]!, f[o + 2]!)).applyQuaternion(q);
      });
      if (local.some((l) => l.distanceTo(local[0]!) > 2e-3 * scene.size)) continue;
      const own = local[0]!;
      return {
        name: t.name,
        where: (f, out) => {
          q.set(f[o + 3]!, f[o + 4]!, f[o + 5]!, f[o + 6]!).normalize();
          out.copy(own).applyQuaternion(q);
          out.x += f[o]!;
          out.y += f[o + 1]!;
          out.z += f[o + 2]!;
        },
      };
    }
  }
  return null;
}

function onRod(scene: SceneData, frames: Float32Array[], rows: number[], t: Triple, point: Point): Marker | null {
  const p = new THREE.Vector3();
  for (const g of scene.groups) {
    if (g.draw !== 'tube') continue;
    for (const rod of g.items!)
      for (const o of rod.at) {
        const far = frames.some((f, k) => point(t, rows[k]!, p).distanceTo(new THREE.Vector3(f[o], f[o + 1], f[o + 2])) > 2e-3 * scene.size);
        if (!far) return { name: t.name, where: (f, out) => out.set(f[o]!, f[o + 1]!, f[o + 2]!) };
      }
  }
  return null;
}
