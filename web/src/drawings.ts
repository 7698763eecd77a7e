// What is drawn, and how: one drawing for each group of a scene.
import * as THREE from 'three';
import type { Group, Solid } from './data';
import { Sticks, unitCoil, unitCone, unitCylinder, unitPiston } from './sticks';
import { Tubes } from './tubes';

export const colours = {
  light: {
    sky: '#dfe7ef', horizon: '#f8fafc', grid: '#8796a6', ground: '#ffffff', shadow: 0.22, label: '#1f2933',
    body: ['#3f6fb5', '#e0823d', '#4f9d69', '#b3528c', '#7a68b8', '#c9a227', '#3b9bb3', '#a65f46'],
    grey: ['#66758a', '#8c97a6', '#4d5a6b', '#a3958a'],
    joint: '#39424e', anchor: '#59636f', spring: '#8a94a0', damper: '#6b7682', beam: '#7d8b9a', actuator: '#c0653a',
    obstacle: '#b9a88f', cable: '#20262d', cord: '#7a5f3e', edge: '#1d7588', node: '#2b3a4d', held: '#59636f', load: '#c62f4b', moment: '#a03ab5', contact: '#e0691a', loop: '#39424e', rod: '#3f8f8a', trail: '#c62f4b', pull: '#c62f4b',
  },
  dark: {
    sky: '#0e1319', horizon: '#1d2630', grid: '#66788a', ground: '#18202a', shadow: 0.5, label: '#e6ebf0',
    body: ['#6f9fe8', '#f0a05c', '#71c58d', '#d77bb4', '#a291e6', '#e3c04a', '#62c2da', '#cf8467'],
    grey: ['#8fa0b5', '#b3bfcc', '#6f8096', '#c4b5a8'],
    joint: '#b7c2ce', anchor: '#8794a2', spring: '#aab6c2', damper: '#8d99a6', beam: '#93a3b3', actuator: '#e28a5c',
    obstacle: '#8a7d6a', cable: '#f2f5f8', cord: '#d0b48c', edge: '#62c6d8', node: '#dfe6ee', held: '#8794a2', load: '#ff6a81', moment: '#d27be6', contact: '#ff9a4d', loop: '#b7c2ce', rod: '#5cc2bb', trail: '#ff6a81', pull: '#ff6a81',
  },
};
export type Palette = (typeof colours)['light'];

// From calm to strained; readable on both backgrounds and without red and green.
const ramp = ['#2c5aa0', '#2a8fb5', '#43b39b', '#9cc95a', '#f0c33c', '#ee8a2c', '#d43d3a'].map((c) => new THREE.Color(c));
export function strainColour(s: number, out: THREE.Color): void {
  const x = Math.min(Math.max(s, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(x), ramp.length - 2);
  out.copy(ramp[i]!).lerp(ramp[i + 1]!, x - i);
}
export const rampCss = `linear-gradient(to right, ${ramp.map((c) => '#' + c.getHexString(THREE.SRGBColorSpace)).join(', ')})`;

// A drawing follows the frames it is given.
export interface Drawing {
  object: THREE.Object3D;
  update(frame: Float32Array): void;
  paint(p: Palette): void;
  // What is under the pointer: its name, the station that can be pulled, and where on it.
  pick?(hit: THREE.Intersection): Picked | null;
}
export interface Picked {
  name: string;
  detail: string;
  station: number;
  point: THREE.Vector3; // in the world
  local: THREE.Vector3; // in the station's frame
}

const tint = (p: Palette, kind: string): string =>
  (p as unknown as Record<string, string>)[kind] ?? p.beam;

// ---- bodies

class Solids implements Drawing {
  readonly object = new THREE.Group();
  private readonly meshes: { mesh: THREE.InstancedMesh; parts: Solid[] }[] = [];
  private readonly world = new THREE.Matrix4();
  private readonly own: THREE.Matrix4[] = [];
  private readonly p = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();
  private readonly one = new THREE.Vector3(1, 1, 1);

  constructor(private readonly group: Group, private readonly beside: boolean) {
    const shapes: Record<Solid['type'], THREE.BufferGeometry> = {
      box: new THREE.BoxGeometry(1, 1, 1),
      cylinder: new THREE.CylinderGeometry(0.5, 0.5, 1, 40).rotateX(Math.PI / 2),
      ball: new THREE.SphereGeometry(0.5, 40, 24),
    };
    for (const type of ['box', 'cylinder', 'ball'] as const) {
      const parts = (group.parts ?? []).filter((x) => x.type === type);
      if (!parts.length) continue;
      const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.08 });
      const mesh = new THREE.InstancedMesh(shapes[type], material, parts.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.meshes.push({ mesh, parts });
      this.object.add(mesh);
    }
  }

  private pose(item: number, frame: Float32Array): void {
    const o = this.group.items![item]!.pose;
    this.p.set(frame[o]!, frame[o + 1]!, frame[o + 2]!);
    this.q.set(frame[o + 3]!, frame[o + 4]!, frame[o + 5]!, frame[o + 6]!).normalize();
  }

  update(frame: Float32Array): void {
    let k = 0;
    for (const { mesh, parts } of this.meshes) {
      parts.forEach((part, i) => {
        const l = part.local;
        const own = (this.own[k] ??= new THREE.Matrix4().compose(
          new THREE.Vector3(l[0], l[1], l[2]),
          new THREE.Quaternion(l[3], l[4], l[5], l[6]),
          new THREE.Vector3(part.size[0], part.size[1], part.size[2]),
        ));
        k++;
        this.pose(part.item, frame);
        this.world.compose(this.p, this.q, this.one).multiply(own);
        mesh.setMatrixAt(i, this.world);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.last = frame;
  }
  private last: Float32Array | null = null;

  paint(p: Palette): void {
    const c = new THREE.Color();
    for (const { mesh, parts } of this.meshes) {
      parts.forEach((part, i) => {
        // beside rods in colours bodies are grey; elements of a repeated body differ a little
        const list = this.beside ? p.grey : p.body;
        const body = this.group.items![part.item]!.body - 1;
        c.set(list[body % list.length]!);
        if (part.item > 0 && this.group.items![part.item - 1]!.body === body + 1 && part.item % 2) c.offsetHSL(0, 0, 0.05);
        mesh.setColorAt(i, c);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  pick(hit: THREE.Intersection): Picked | null {
    const entry = this.meshes.find((x) => x.mesh === hit.object);
    if (!entry || hit.instanceId === undefined || !this.last) return null;
    const item = this.group.items![entry.parts[hit.instanceId]!.item]!;
    this.pose(entry.parts[hit.instanceId]!.item, this.last);
    const local = hit.point.clone().sub(this.p).applyQuaternion(this.q.clone().invert());
    return { name: item.name, detail: `${item.mass.toPrecision(4)} kg`, station: item.station, point: hit.point.clone(), local };
  }
}

// ---- rods

export class Rods implements Drawing {
  readonly object: THREE.Object3D;
  readonly tubes: Tubes;
  private last: Float32Array | null = null;

  constructor(group: Group, size: number, glass: boolean) {
    this.tubes = new Tubes(group.items!, 0.012 * size, strainColour, new THREE.Color());
    this.object = this.tubes.mesh;
    // cables inside are to be seen
    if (glass) Object.assign(this.tubes.mesh.material, { transparent: true, opacity: 0.72, depthWrite: false });
  }
  update(frame: Float32Array): void {
    this.tubes.update(frame);
    this.last = frame;
  }
  paint(p: Palette): void {
    this.tubes.plain.set(p.rod);
    if (this.last) this.update(this.last);
  }
  pick(hit: THREE.Intersection): Picked | null {
    const frame = this.last;
    if (!frame) return null;
    let best = Infinity;
    let found: Picked | null = null;
    for (const { rod } of this.tubes.tubes)
      rod.at.forEach((o, i) => {
        const p = new THREE.Vector3(frame[o], frame[o + 1], frame[o + 2]);
        const d = p.distanceToSquared(hit.point);
        if (d >= best) return;
        best = d;
        found = {
          name: rod.name,
          detail: `at ${rod.arc[i]!.toPrecision(3)} of ${rod.length.toPrecision(3)} m`,
          station: rod.station[i] ?? -1,
          point: p,
          local: new THREE.Vector3(),
        };
      });
    return found;
  }
}

// ---- what runs from a point to another, or stands at one

class Links implements Drawing {
  readonly object: THREE.Object3D;
  private readonly sticks: Sticks;
  private readonly radius: number;

  constructor(private readonly group: Group, unit: THREE.BufferGeometry, radius: number) {
    this.radius = radius;
    this.sticks = new Sticks(unit, group.a!.length, group.draw === 'coil' ? { metalness: 0.35, roughness: 0.4, side: THREE.DoubleSide } : {});
    this.object = this.sticks.mesh;
  }
  update(x: Float32Array): void {
    const { a, b } = this.group;
    for (let i = 0; i < a!.length; i++) {
      const p = a![i]!;
      const q = b![i]!;
      this.sticks.set(i, x[p]!, x[p + 1]!, x[p + 2]!, x[q]!, x[q + 1]!, x[q + 2]!, this.radius);
    }
    this.sticks.changed();
  }
  paint(p: Palette): void {
    const c = new THREE.Color(tint(p, this.group.kind));
    for (let i = 0; i < this.group.a!.length; i++) this.sticks.colour(i, c);
  }
}

// Chains of stretches drawn as smooth curves: cables in rods, which bend with them.
const PIECES = 6;
class Wires implements Drawing {
  readonly object: THREE.Object3D;
  private readonly sticks: Sticks;
  private readonly ends: [number, number, number, number][]; // per stretch: the points before, of it, and after

  constructor(private readonly group: Group, private readonly radius: number) {
    const { a, b } = group;
    const n = a!.length;
    this.ends = a!.map((p, i) => [i > 0 && b![i - 1] === p ? a![i - 1]! : -1, p, b![i]!, i + 1 < n && a![i + 1] === b![i] ? b![i + 1]! : -1]);
    this.sticks = new Sticks(unitCylinder(8, true), n * PIECES);
    this.object = this.sticks.mesh;
  }
  // Cubic with the slopes of the parabolas through three points; at an end, that of the last parabola.
  update(x: Float32Array): void {
    const from = [0, 0, 0];
    const to = [0, 0, 0];
    this.ends.forEach(([o, p, q, r], i) => {
      for (let k = 0; k <= PIECES; k++) {
        const s = k / PIECES;
        for (let c = 0; c < 3; c++) {
          const y0 = x[p + c]!;
          const y1 = x[q + c]!;
          const after = r >= 0 ? 0.5 * (x[r + c]! - y0) : 0;
          const before = o >= 0 ? 0.5 * (y1 - x[o + c]!) : 0;
          const m0 = o >= 0 ? before : r >= 0 ? 2 * (y1 - y0) - after : y1 - y0;
          const m1 = r >= 0 ? after : o >= 0 ? 2 * (y1 - y0) - before : y1 - y0;
          const h = s * s * (3 - 2 * s);
          to[c] = y0 + h * (y1 - y0) + s * (1 - s) * ((1 - s) * m0 - s * m1);
        }
        if (k > 0) this.sticks.set(i * PIECES + k - 1, from[0]!, from[1]!, from[2]!, to[0]!, to[1]!, to[2]!, this.radius);
        for (let c = 0; c < 3; c++) from[c] = to[c]!;
      }
    });
    this.sticks.changed();
  }
  paint(p: Palette): void {
    const c = new THREE.Color(tint(p, this.group.kind));
    for (let i = 0; i < this.sticks.count; i++) this.sticks.colour(i, c);
  }
}

// Arrows: shaft and head, as long as the vector is large beside the largest of the group.
export class Arrows implements Drawing {
  readonly object = new THREE.Group();
  largest = 0;
  private readonly shafts: Sticks;
  private readonly heads: Sticks;

  // away: the tail is at the place, as for what pushes there.
  constructor(private readonly group: Group, private readonly size: number, private readonly away: boolean) {
    const n = group.at!.length;
    this.shafts = new Sticks(unitCylinder(12), n);
    this.heads = new Sticks(unitCone(), n);
    this.object.add(this.shafts.mesh, this.heads.mesh);
  }
  measure(x: Float32Array): void {
    for (const v of this.group.vector!) this.largest = Math.max(this.largest, Math.hypot(x[v]!, x[v + 1]!, x[v + 2]!));
  }
  update(x: Float32Array): void {
    const scale = this.largest > 0 ? (0.2 * this.size) / this.largest : 0;
    for (let i = 0; i < this.group.at!.length; i++) {
      const p = this.group.at![i]!;
      const v = this.group.vector![i]!;
      const m = Math.hypot(x[v]!, x[v + 1]!, x[v + 2]!);
      const length = m * scale;
      const shown = length > 0.004 * this.size;
      const head = Math.min(0.035 * this.size, 0.5 * length);
      const d = [0, 1, 2].map((k) => (m > 0 ? x[v + k]! / m : 0));
      const tip = [0, 1, 2].map((k) => x[p + k]! + (this.away ? length * d[k]! : 0));
      const neck = tip.map((c, k) => c - head * d[k]!);
      const tail = tip.map((c, k) => c - length * d[k]!);
      const r = shown ? Math.min(0.005 * this.size, 0.25 * head) : 0;
      this.shafts.set(i, tail[0]!, tail[1]!, tail[2]!, neck[0]!, neck[1]!, neck[2]!, r);
      this.heads.set(i, neck[0]!, neck[1]!, neck[2]!, tip[0]!, tip[1]!, tip[2]!, 2.6 * r);
    }
    this.shafts.changed();
    this.heads.changed();
  }
  paint(p: Palette): void {
    const c = new THREE.Color(tint(p, this.group.kind));
    for (let i = 0; i < this.group.at!.length; i++) {
      this.shafts.colour(i, c);
      this.heads.colour(i, c);
    }
  }
}

// What does not move: planes, balls and cylinders that are touched.
class Obstacles implements Drawing {
  readonly object = new THREE.Group();
  constructor(group: Group) {
    for (const part of group.parts ?? []) {
      const type = part.type as string;
      const shape =
        type === 'plane' ? new THREE.PlaneGeometry(1, 1) : type === 'ball' ? new THREE.SphereGeometry(0.5, 48, 32) : new THREE.CylinderGeometry(0.5, 0.5, 1, 48).rotateX(Math.PI / 2);
      const see = type === 'plane' ? 0.25 : 0.8;
      const material = new THREE.MeshStandardMaterial({ roughness: 0.9, transparent: true, opacity: see, side: THREE.DoubleSide, depthWrite: type !== 'plane' });
      const mesh = new THREE.Mesh(shape, material);
      const l = part.local;
      mesh.position.set(l[0]!, l[1]!, l[2]!);
      mesh.quaternion.set(l[3]!, l[4]!, l[5]!, l[6]!);
      mesh.scale.set(part.size[0]!, part.size[1]!, part.size[2]!);
      mesh.receiveShadow = true;
      this.object.add(mesh);
    }
  }
  update(): void {}
  paint(p: Palette): void {
    for (const m of this.object.children) ((m as THREE.Mesh).material as THREE.MeshStandardMaterial).color.set(p.obstacle);
  }
}

// Moments: three quarters of a ring about the vector, with a head.
export class Turns implements Drawing {
  readonly object: THREE.InstancedMesh;
  largest = 0;
  private readonly m = new THREE.Matrix4();
  private readonly q = new THREE.Quaternion();
  private readonly z = new THREE.Vector3(0, 0, 1);

  constructor(private readonly group: Group, private readonly size: number) {
    const ring = new THREE.TorusGeometry(1, 0.06, 10, 40, 1.5 * Math.PI).toNonIndexed();
    const head = new THREE.ConeGeometry(0.2, 0.42, 16).rotateZ(Math.PI / 2).translate(0.16, -1, 0).rotateZ(0).toNonIndexed();
    const join = (name: string) => {
      const a = ring.getAttribute(name).array;
      const b = head.getAttribute(name).array;
      const both = new Float32Array(a.length + b.length);
      both.set(a as Float32Array);
      both.set(b as Float32Array, a.length);
      return new THREE.BufferAttribute(both, 3);
    };
    head.rotateY(Math.PI).translate(0, 0, 0);
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', join('position'));
    g.setAttribute('normal', join('normal'));
    this.object = new THREE.InstancedMesh(g, new THREE.MeshStandardMaterial({ roughness: 0.5 }), group.at!.length);
    this.object.frustumCulled = false;
    this.object.castShadow = true;
  }
  measure(x: Float32Array): void {
    for (const v of this.group.vector!) this.largest = Math.max(this.largest, Math.hypot(x[v]!, x[v + 1]!, x[v + 2]!));
  }
  update(x: Float32Array): void {
    const d = new THREE.Vector3();
    for (let i = 0; i < this.group.at!.length; i++) {
      const p = this.group.at![i]!;
      const v = this.group.vector![i]!;
      d.set(x[v]!, x[v + 1]!, x[v + 2]!);
      const m = d.length();
      const r = this.largest > 0 ? 0.06 * this.size * Math.sqrt(m / this.largest) : 0;
      if (m > 0) this.q.setFromUnitVectors(this.z, d.divideScalar(m));
      this.m.compose(new THREE.Vector3(x[p], x[p + 1], x[p + 2]), this.q, new THREE.Vector3(r, r, r));
      this.object.setMatrixAt(i, this.m);
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
  paint(p: Palette): void {
    (this.object.material as THREE.MeshStandardMaterial).color.set(tint(p, this.group.kind));
  }
}

// Pins and slides: short sticks along an axis.  Balls and cubes: at a point.
class Pins implements Drawing {
  readonly object: THREE.Object3D;
  private readonly sticks: Sticks;
  constructor(private readonly group: Group, private readonly half: number, private readonly radius: number, unit: THREE.BufferGeometry) {
    this.sticks = new Sticks(unit, group.at!.length, { metalness: 0.4, roughness: 0.35 });
    this.object = this.sticks.mesh;
  }
  update(x: Float32Array): void {
    const { at, axis } = this.group;
    for (let i = 0; i < at!.length; i++) {
      const p = at![i]!;
      const d = axis![i]!;
      const h = this.half;
      this.sticks.set(
        i,
        x[p]! - h * x[d]!, x[p + 1]! - h * x[d + 1]!, x[p + 2]! - h * x[d + 2]!,
        x[p]! + h * x[d]!, x[p + 1]! + h * x[d + 1]!, x[p + 2]! + h * x[d + 2]!,
        this.radius,
      );
    }
    this.sticks.changed();
  }
  paint(p: Palette): void {
    const c = new THREE.Color(p.joint);
    for (let i = 0; i < this.group.at!.length; i++) this.sticks.colour(i, c);
  }
}

class Dots implements Drawing {
  readonly object: THREE.InstancedMesh;
  private readonly m = new THREE.Matrix4();
  constructor(private readonly group: Group, private readonly radius: number, unit: THREE.BufferGeometry) {
    this.object = new THREE.InstancedMesh(unit, new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.2 }), group.at!.length);
    this.object.frustumCulled = false;
    this.object.castShadow = true;
  }
  update(x: Float32Array): void {
    const r = this.radius;
    for (let i = 0; i < this.group.at!.length; i++) {
      const p = this.group.at![i]!;
      this.m.makeScale(r, r, r).setPosition(x[p]!, x[p + 1]!, x[p + 2]!);
      this.object.setMatrixAt(i, this.m);
    }
    this.object.instanceMatrix.needsUpdate = true;
    this.object.boundingSphere = null;
  }
  paint(p: Palette): void {
    (this.object.material as THREE.MeshStandardMaterial).color.set(tint(p, this.group.kind === 'socket' ? 'joint' : this.group.kind));
  }
  pick(hit: THREE.Intersection): Picked | null {
    const i = hit.instanceId;
    if (!this.group.station || i === undefined) return null;
    this.object.getMatrixAt(i, this.m);
    const point = new THREE.Vector3().setFromMatrixPosition(this.m);
    return { name: this.group.name?.[i] ?? `${this.group.kind} ${i + 1}`, detail: '', station: this.group.station[i]!, point, local: new THREE.Vector3() };
  }
}

// Very many: few triangles each, and no shadows among tens of thousands.
function net(g: Group, size: number): Links {
  const links = new Links(g, unitCylinder(4, true), 0.0015 * size);
  links.object.castShadow = g.a!.length < 5000;
  return links;
}

// How each `draw` is drawn; a kind that is not known here is left out.
export const drawings: Record<string, (g: Group, size: number, all: Group[]) => Drawing> = {
  solid: (g, _, all) => new Solids(g, all.some((x) => x.draw === 'tube')),
  tube: (g, size, all) => new Rods(g, size, all.some((x) => x.kind === 'cable')),
  coil: (g, size) => (g.a!.length > 200 ? net(g, size) : new Links(g, unitCoil(), 0.016 * size)),
  piston: (g, size) => new Links(g, unitPiston(), 0.014 * size),
  wire: (g, size) => new Wires(g, 0.003 * size),
  bar: (g, size) => (g.a!.length > 500 ? net(g, size) : new Links(g, unitCylinder(12), (g.kind === 'cable' || g.kind === 'edge' ? 0.003 : 0.005) * size)),
  dot: (g, size) => new Dots(g, (g.at!.length > 300 ? 0.0025 : 0.006) * size, new THREE.IcosahedronGeometry(1, g.at!.length > 300 ? 0 : 3)),
  arrow: (g, size) => new Arrows(g, size, false),
  push: (g, size) => new Arrows(g, size, true),
  fixed: (g) => new Obstacles(g),
  turn: (g, size) => new Turns(g, size),
  pin: (g, size) => new Pins(g, (g.at!.length > 8 ? 0.012 : 0.026) * size, (g.at!.length > 8 ? 0.006 : 0.011) * size, unitCylinder(24)),
  slide: (g, size) => new Pins(g, 0.05 * size, 0.006 * size, unitCylinder(4)),
  ball: (g, size) => new Dots(g, 0.014 * size, new THREE.SphereGeometry(1, 24, 16)),
  cube: (g, size) => new Dots(g, 0.022 * size, new THREE.BoxGeometry(1, 1, 1)),
};
