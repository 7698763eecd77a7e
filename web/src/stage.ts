// The picture: camera, light, ground, and one drawing for each group of the scene.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Group, SceneData, Solid } from './data';
import { Sticks, unitCoil, unitCone, unitCylinder, unitPiston } from './sticks';
import { Tubes } from './tubes';

export type Theme = 'light' | 'dark';

const colours = {
  light: {
    sky: '#eef2f6', horizon: '#fbfcfd', grid: '#c3ccd6', ground: '#ffffff', shadow: 0.22, label: '#1f2933',
    body: ['#3f6fb5', '#e0823d', '#4f9d69', '#b3528c', '#7a68b8', '#c9a227', '#3b9bb3', '#a65f46'],
    grey: ['#66758a', '#8c97a6', '#4d5a6b', '#a3958a'],
    joint: '#39424e', anchor: '#59636f', spring: '#8a94a0', damper: '#6b7682', beam: '#7d8b9a', actuator: '#c0653a',
    load: '#c62f4b', moment: '#a03ab5', contact: '#e0691a', loop: '#39424e', rod: '#3f8f8a', trail: '#c62f4b', pull: '#c62f4b',
  },
  dark: {
    sky: '#10151b', horizon: '#1b232c', grid: '#3a4653', ground: '#18202a', shadow: 0.5, label: '#e6ebf0',
    body: ['#6f9fe8', '#f0a05c', '#71c58d', '#d77bb4', '#a291e6', '#e3c04a', '#62c2da', '#cf8467'],
    grey: ['#8fa0b5', '#b3bfcc', '#6f8096', '#c4b5a8'],
    joint: '#b7c2ce', anchor: '#8794a2', spring: '#aab6c2', damper: '#8d99a6', beam: '#93a3b3', actuator: '#e28a5c',
    load: '#ff6a81', moment: '#d27be6', contact: '#ff9a4d', loop: '#b7c2ce', rod: '#5cc2bb', trail: '#ff6a81', pull: '#ff6a81',
  },
};
type Palette = (typeof colours)['light'];

// From calm to strained; readable on both backgrounds and without red and green.
const ramp = ['#2c5aa0', '#2a8fb5', '#43b39b', '#9cc95a', '#f0c33c', '#ee8a2c', '#d43d3a'].map((c) => new THREE.Color(c));
export function strainColour(s: number, out: THREE.Color): void {
  const x = Math.min(Math.max(s, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(x), ramp.length - 2);
  out.copy(ramp[i]!).lerp(ramp[i + 1]!, x - i);
}
export const rampCss = `linear-gradient(to right, ${ramp.map((c) => '#' + c.getHexString(THREE.SRGBColorSpace)).join(', ')})`;

// A drawing follows the frames it is given.
interface Drawing {
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

  constructor(group: Group, size: number) {
    this.tubes = new Tubes(group.items!, 0.012 * size, strainColour, new THREE.Color());
    this.object = this.tubes.mesh;
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

// Arrows: shaft and head, as long as the vector is large beside the largest of the group.
class Arrows implements Drawing {
  readonly object = new THREE.Group();
  largest = 0;
  private readonly shafts: Sticks;
  private readonly heads: Sticks;

  constructor(private readonly group: Group, private readonly size: number) {
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
      const tip = [0, 1, 2].map((k) => x[p + k]!);
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

// Moments: three quarters of a ring about the vector, with a head.
class Turns implements Drawing {
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
  }
  paint(p: Palette): void {
    (this.object.material as THREE.MeshStandardMaterial).color.set(tint(p, this.group.kind === 'socket' ? 'joint' : this.group.kind));
  }
}

// How each `draw` is drawn; a kind that is not known here is left out.
const drawings: Record<string, (g: Group, size: number, all: Group[]) => Drawing> = {
  solid: (g, _, all) => new Solids(g, all.some((x) => x.draw === 'tube')),
  tube: (g, size) => new Rods(g, size),
  coil: (g, size) => new Links(g, g.a!.length > 200 ? unitCylinder(6) : unitCoil(), g.a!.length > 200 ? 0.002 * size : 0.016 * size),
  piston: (g, size) => new Links(g, unitPiston(), 0.014 * size),
  bar: (g, size) => new Links(g, unitCylinder(g.a!.length > 500 ? 5 : 12), g.a!.length > 500 ? 0.0015 * size : 0.005 * size),
  arrow: (g, size) => new Arrows(g, size),
  turn: (g, size) => new Turns(g, size),
  pin: (g, size) => new Pins(g, 0.026 * size, 0.011 * size, unitCylinder(24)),
  slide: (g, size) => new Pins(g, 0.05 * size, 0.006 * size, unitCylinder(4)),
  ball: (g, size) => new Dots(g, 0.014 * size, new THREE.SphereGeometry(1, 24, 16)),
  cube: (g, size) => new Dots(g, 0.022 * size, new THREE.BoxGeometry(1, 1, 1)),
};

// ---- the stage

export interface Marker {
  name: string;
  where(frame: Float32Array, out: THREE.Vector3): void;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(28, 1, 0.001, 1000);
  readonly controls: OrbitControls;
  readonly up: THREE.Vector3;
  follow = false;
  rods: Rods | null = null;
  private drawings: Drawing[] = [];
  private frame: Float32Array = new Float32Array(0);
  private readonly box = new THREE.Box3();
  private readonly sun = new THREE.DirectionalLight('#ffffff', 2.2);
  private readonly fill = new THREE.DirectionalLight('#cfe0ff', 0.7);
  private readonly sky = new THREE.HemisphereLight('#ffffff', '#b9c3cf', 1.25);
  private ground: THREE.Mesh | null = null;
  private grid: THREE.LineSegments | null = null;
  private readonly axes: THREE.Group = new THREE.Group();
  private readonly pull: Sticks;
  private theme: Theme = 'light';
  private dirty = true;
  private readonly centre = new THREE.Vector3();
  private readonly trails = new THREE.Group();
  private followed = new THREE.Vector3();
  frames = 0;

  constructor(readonly canvas: HTMLCanvasElement, public data: SceneData) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.info.autoReset = true;
    this.up = new THREE.Vector3(...(data.up as [number, number, number])).normalize();
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener('change', () => this.invalidate());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, this.fill, this.sky, this.axes, this.trails);
    this.axes.visible = false;
    this.pull = new Sticks(unitCylinder(8), 1);
    this.pull.mesh.visible = this.pull.mesh.castShadow = false;
    this.scene.add(this.pull.mesh);
    this.build(data);
  }

  // Draw another model.
  build(data: SceneData): void {
    for (const d of this.drawings) this.scene.remove(d.object);
    this.data = data;
    this.drawings = [];
    this.rods = null;
    for (const group of data.groups) {
      const make = drawings[group.draw];
      if (!make) continue;
      const d = make(group, data.size, data.groups);
      if (d instanceof Rods) this.rods = d;
      this.drawings.push(d);
      this.scene.add(d.object);
    }
    this.frame = new Float32Array(data.numbers);
    this.buildAxes();
    this.paint();
  }

  // Axes of all bodies, on demand.
  private buildAxes(): void {
    this.axes.clear();
    for (const g of this.data.groups) {
      if (g.draw !== 'solid') continue;
      for (const item of g.items!.slice(0, 200)) {
        const a = new THREE.AxesHelper(0.09 * this.data.size);
        a.userData.pose = item.pose;
        (a.material as THREE.LineBasicMaterial).depthTest = false;
        this.axes.add(a);
      }
    }
    this.axes.add(new THREE.AxesHelper(0.15 * this.data.size));
  }

  showAxes(on: boolean): void {
    this.axes.visible = on;
    this.show(this.frame);
  }
  get axesShown(): boolean {
    return this.axes.visible;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.paint();
  }
  get palette(): Palette {
    return colours[this.theme];
  }

  private paint(): void {
    const p = this.palette;
    this.scene.background = gradient(p.sky, p.horizon);
    for (const d of this.drawings) d.paint(p);
    if (this.ground) (this.ground.material as THREE.ShadowMaterial).opacity = p.shadow;
    if (this.grid) (this.grid.material as THREE.LineBasicMaterial).color.set(p.grid);
    this.trails.children.forEach((t) => ((t as THREE.Line).material as THREE.LineBasicMaterial).color.set(p.trail));
    this.pull.colour(0, new THREE.Color(p.pull));
    this.sky.intensity = this.theme === 'light' ? 1.35 : 0.95;
    this.invalidate();
  }

  // Learn how far things reach and how large vectors and strains get: every frame that will be seen.
  // margin: room to move, in sizes of the model.
  measure(frames: Iterable<Float32Array>, margin = 0): void {
    this.box.makeEmpty();
    const p = new THREE.Vector3();
    let peak = 0;
    for (const x of frames) {
      for (const g of this.data.groups) this.reach(g, x, p);
      for (const d of this.drawings) if (d instanceof Arrows || d instanceof Turns) d.measure(x);
      if (this.rods) peak = Math.max(peak, this.rods.tubes.peak(x));
    }
    if (this.rods) this.rods.tubes.range = peak;
    if (this.box.isEmpty()) this.box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    const least = 0.1 * this.data.size;
    const size = this.box.getSize(new THREE.Vector3());
    this.box.expandByVector(new THREE.Vector3(Math.max(0, least - size.x) / 2, Math.max(0, least - size.y) / 2, Math.max(0, least - size.z) / 2));
    this.box.expandByScalar(margin * this.data.size);
    this.layGround();
  }

  // One more frame of a motion whose end is not known.
  learn(x: Float32Array): void {
    for (const d of this.drawings) if (d instanceof Arrows || d instanceof Turns) d.measure(x);
    if (this.rods) this.rods.tubes.range = Math.max(this.rods.tubes.range, this.rods.tubes.peak(x));
  }

  private reach(g: Group, x: Float32Array, p: THREE.Vector3): void {
    const add = (o: number) => this.box.expandByPoint(p.set(x[o]!, x[o + 1]!, x[o + 2]!));
    g.a?.forEach(add);
    g.b?.forEach(add);
    g.at?.forEach(add);
    if (g.draw === 'tube') g.items!.forEach((r) => r.at.forEach(add));
    if (g.draw !== 'solid') return;
    const q = new THREE.Quaternion();
    const corner = new THREE.Vector3();
    for (const part of g.parts ?? []) {
      const o = g.items![part.item]!.pose;
      q.set(x[o + 3]!, x[o + 4]!, x[o + 5]!, x[o + 6]!).normalize();
      const own = new THREE.Quaternion(part.local[3], part.local[4], part.local[5], part.local[6]);
      for (let k = 0; k < 8; k++) {
        corner.set((k & 1 ? 0.5 : -0.5) * part.size[0]!, (k & 2 ? 0.5 : -0.5) * part.size[1]!, (k & 4 ? 0.5 : -0.5) * part.size[2]!);
        corner.applyQuaternion(own).add(p.set(part.local[0]!, part.local[1]!, part.local[2]!)).applyQuaternion(q);
        this.box.expandByPoint(corner.add(p.set(x[o]!, x[o + 1]!, x[o + 2]!)));
      }
    }
  }

  private get extent(): number {
    return this.box.getSize(new THREE.Vector3()).length();
  }

  // Below the lowest point: a plane that catches shadows, and a grid of round numbers.
  private layGround(): void {
    if (this.ground) this.scene.remove(this.ground);
    if (this.grid) this.scene.remove(this.grid);
    this.box.getCenter(this.centre);
    const d = this.extent;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    let low = Infinity;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(k & 1 ? this.box.max.x : this.box.min.x, k & 2 ? this.box.max.y : this.box.min.y, k & 4 ? this.box.max.z : this.box.min.z);
      low = Math.min(low, corner.dot(this.up));
    }
    const level = low - 0.03 * d;
    const foot = this.centre.clone().addScaledVector(this.up, level - this.centre.dot(this.up));
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(12 * d, 12 * d), new THREE.ShadowMaterial({ opacity: this.palette.shadow }));
    this.ground.position.copy(foot);
    this.ground.quaternion.copy(turn);
    this.ground.receiveShadow = true;
    this.scene.add(this.ground);

    const raw = d / 8;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    this.cell = [1, 2, 5, 10].map((k) => k * power).find((x) => x >= raw)!;
    const half = 14;
    const points: number[] = [];
    const fade: number[] = [];
    const line = (ax: number, ay: number, bx: number, by: number) => {
      const steps = 2 * half;
      for (let i = 0; i < steps; i++) {
        for (const s of [i / steps, (i + 1) / steps]) {
          const x = ax + s * (bx - ax);
          const y = ay + s * (by - ay);
          points.push(x * this.cell, y * this.cell, 0);
          const f = Math.max(0, 1 - Math.hypot(x, y) / half);
          fade.push(1, 1, 1, f * f);
        }
      }
    };
    for (let i = -half; i <= half; i++) {
      line(i, -half, i, half);
      line(-half, i, half, i);
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
    g.setAttribute('color', new THREE.Float32BufferAttribute(fade, 4));
    this.grid = new THREE.LineSegments(g, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, color: this.palette.grid, depthWrite: false }));
    this.grid.position.copy(foot);
    this.grid.quaternion.copy(turn);
    this.scene.add(this.grid);
  }
  cell = 1; // of the grid [m]

  // From above and over the left shoulder of who looks at the model from its best side; the light stays there when
  // the view turns.
  private placeSun(towards: THREE.Vector3, right: THREE.Vector3): void {
    const d = this.extent;
    this.sun.position.copy(this.centre).addScaledVector(this.up, 1.7 * d).addScaledVector(right, -0.9 * d).addScaledVector(towards, 1.1 * d);
    this.sun.target.position.copy(this.centre);
    this.fill.position.copy(this.centre).addScaledVector(this.up, 0.3 * d).addScaledVector(right, 1.3 * d).addScaledVector(towards, 0.6 * d);
    const c = this.sun.shadow.camera;
    c.left = c.bottom = -0.9 * d;
    c.right = c.top = 0.9 * d;
    c.near = 0.2 * d;
    c.far = 4.5 * d;
    c.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.002 * d;
  }

  // The broad side of what moves, seen a little from above and from the side.
  home(): void {
    const size = this.box.getSize(new THREE.Vector3());
    const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
    const flat = axes.filter((a) => Math.abs(a.dot(this.up)) < 0.7);
    const width = (a: THREE.Vector3) => Math.abs(size.dot(a));
    flat.sort((a, b) => width(a) - width(b));
    const towards = flat[0]!.clone();
    // from -y when there is a choice, with x to the right
    if (towards.y > 0) towards.negate();
    const right = new THREE.Vector3().crossVectors(this.up, towards);
    if (right.x + right.y < 0) {
      towards.negate();
      right.negate();
    }
    this.placeSun(towards, right);
    const planar = width(flat[0]!) < 0.35 * width(flat[1]!) + 0.05 * this.data.size;
    const turn = planar ? 0.42 : 0.6;
    const rise = planar ? 0.24 : 0.36;
    const direction = towards
      .clone()
      .multiplyScalar(Math.cos(turn) * Math.cos(rise))
      .addScaledVector(right, -Math.sin(turn) * Math.cos(rise))
      .addScaledVector(this.up, Math.sin(rise));
    this.look(direction);
  }

  // Look against `direction`, all of the box in the picture.
  look(direction: THREE.Vector3): void {
    const d = this.extent;
    const eye = direction.clone().normalize();
    const right = new THREE.Vector3().crossVectors(this.up, eye).normalize();
    const top = new THREE.Vector3().crossVectors(eye, right);
    const tan = Math.tan((this.camera.fov * Math.PI) / 360);
    const half = new THREE.Vector2();
    let lowR = Infinity, highR = -Infinity, lowT = Infinity, highT = -Infinity;
    const corners: THREE.Vector3[] = [];
    for (let k = 0; k < 8; k++) {
      const c = new THREE.Vector3(k & 1 ? this.box.max.x : this.box.min.x, k & 2 ? this.box.max.y : this.box.min.y, k & 4 ? this.box.max.z : this.box.min.z);
      corners.push(c);
      lowR = Math.min(lowR, c.dot(right));
      highR = Math.max(highR, c.dot(right));
      lowT = Math.min(lowT, c.dot(top));
      highT = Math.max(highT, c.dot(top));
    }
    half.set((highR - lowR) / 2, (highT - lowT) / 2);
    const middle = new THREE.Vector3()
      .addScaledVector(right, (lowR + highR) / 2)
      .addScaledVector(top, (lowT + highT) / 2)
      .addScaledVector(eye, this.centre.dot(eye));
    let distance = 0;
    for (const c of corners) {
      const r = c.clone().sub(middle);
      const depth = r.dot(eye);
      distance = Math.max(distance, depth + (1.16 * Math.abs(r.dot(top))) / tan, depth + (1.12 * Math.abs(r.dot(right))) / (tan * this.camera.aspect));
    }
    this.camera.position.copy(middle).addScaledVector(eye, distance);
    this.camera.near = Math.max(distance - 6 * d, distance / 200);
    this.camera.far = distance + 30 * d;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.minDistance = 0.02 * d;
    this.controls.maxDistance = 12 * d;
    this.controls.update();
    this.invalidate();
  }

  resize(width: number, height: number, ratio = Math.min(devicePixelRatio, 2)): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  show(frame: Float32Array): void {
    this.frame = frame;
    for (const d of this.drawings) d.update(frame);
    if (this.axes.visible)
      for (const a of this.axes.children) {
        const o = a.userData.pose as number | undefined;
        if (o === undefined) continue;
        a.position.set(frame[o]!, frame[o + 1]!, frame[o + 2]!);
        a.quaternion.set(frame[o + 3]!, frame[o + 4]!, frame[o + 5]!, frame[o + 6]!).normalize();
      }
    if (this.follow) this.moveAlong();
    this.invalidate();
  }

  // Middle of all bodies and rods.
  private middle(out: THREE.Vector3): boolean {
    let n = 0;
    out.set(0, 0, 0);
    const add = (o: number) => {
      out.x += this.frame[o]!;
      out.y += this.frame[o + 1]!;
      out.z += this.frame[o + 2]!;
      n++;
    };
    for (const g of this.data.groups) {
      if (g.draw === 'solid') g.items!.forEach((b) => add(b.pose));
      if (g.draw === 'tube') g.items!.forEach((r) => r.at.forEach(add));
    }
    if (n) out.divideScalar(n);
    return n > 0;
  }

  setFollow(on: boolean): void {
    this.follow = on && this.middle(this.followed);
  }

  private moveAlong(): void {
    const now = new THREE.Vector3();
    if (!this.middle(now)) return;
    const step = now.clone().sub(this.followed);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.followed.copy(now);
  }

  setTrails(lines: Float32Array[]): void {
    this.trails.clear();
    for (const points of lines) {
      const g = new THREE.BufferGeometry();
      g.setAttribute('position', new THREE.BufferAttribute(points, 3));
      const m = new THREE.LineBasicMaterial({ color: this.palette.trail, transparent: true, opacity: 0.45 });
      const line = new THREE.Line(g, m);
      line.frustumCulled = false;
      this.trails.add(line);
    }
    this.invalidate();
  }
  showTrails(on: boolean): void {
    this.trails.visible = on;
    this.invalidate();
  }
  get trailsShown(): boolean {
    return this.trails.visible;
  }
  get hasTrails(): boolean {
    return this.trails.children.length > 0;
  }

  setPull(from: THREE.Vector3 | null, to: THREE.Vector3 | null): void {
    this.pull.mesh.visible = !!from && !!to;
    if (from && to) {
      this.pull.set(0, from.x, from.y, from.z, to.x, to.y, to.z, 0.004 * this.data.size);
      this.pull.changed();
    }
    this.invalidate();
  }

  pick(x: number, y: number): Picked | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    for (const d of this.drawings) {
      if (!d.pick) continue;
      d.object.traverse((o) => {
        const mesh = o as THREE.Mesh;
        if (mesh.geometry && d instanceof Rods) {
          mesh.geometry.computeBoundingSphere();
          mesh.geometry.computeBoundingBox();
        }
      });
    }
    const hits = ray.intersectObjects(this.drawings.filter((d) => d.pick).map((d) => d.object), true);
    for (const hit of hits) {
      for (const d of this.drawings) {
        const found = d.pick && (d.object === hit.object || d.object.children.includes(hit.object)) ? d.pick(hit) : null;
        if (found) return found;
      }
    }
    return null;
  }

  // Where a point of the world is in the picture, in CSS pixels.
  project(p: THREE.Vector3): { x: number; y: number; shown: boolean } {
    const q = p.clone().project(this.camera);
    const r = this.canvas.getBoundingClientRect();
    return { x: ((q.x + 1) / 2) * r.width, y: ((1 - q.y) / 2) * r.height, shown: q.z < 1 };
  }

  invalidate(): void {
    this.dirty = true;
  }

  // Draw if something has changed.  True: it was drawn.
  render(force = false): boolean {
    this.controls.update();
    if (!this.dirty && !force) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.frames++;
    return true;
  }
}

function gradient(top: string, bottom: string): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = 2;
  canvas.height = 256;
  const c = canvas.getContext('2d')!;
  const g = c.createLinearGradient(0, 0, 0, 256);
  g.addColorStop(0, top);
  g.addColorStop(0.75, bottom);
  g.addColorStop(1, bottom);
  c.fillStyle = g;
  c.fillRect(0, 0, 2, 256);
  const t = new THREE.CanvasTexture(canvas);
  t.colorSpace = THREE.SRGBColorSpace;
  return t;
}
