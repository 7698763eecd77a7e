// The picture: camera, light, ground, and the drawings of a scene.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { Group, SceneData } from './data';
import type { Drawing, Palette, Picked } from './drawings';
import { Arrows, colours, drawings, Rods, Turns } from './drawings';
import { Outline } from './outline';
import { Sticks, stickPixel, unitCylinder } from './sticks';

export type Theme = 'light' | 'dark';

export interface Marker {
  name: string;
  where(frame: Float32Array, out: THREE.Vector3): void;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer | null; // null: this browser cannot draw
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(28, 1, 0.001, 1000);
  readonly controls: OrbitControls;
  readonly up: THREE.Vector3;
  follow = false;
  rods: Rods | null = null;
  private drawings: Drawing[] = [];
  private frame: Float32Array = new Float32Array(0);
  private readonly box = new THREE.Box3();
  private readonly outline = new Outline();
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
    this.renderer = makeRenderer(canvas);
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

  hide(kind: string, hidden: boolean): void {
    const shown = this.data.groups.filter((g) => drawings[g.draw]);
    shown.forEach((g, i) => {
      if (g.kind === kind) this.drawings[i]!.object.visible = !hidden;
    });
    this.invalidate();
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
    this.trails.children.forEach((t) => (t as Line2).material.color.set(p.trail));
    this.pull.colour(0, new THREE.Color(p.pull));
    this.sky.intensity = this.theme === 'light' ? 1.35 : 0.95;
    this.invalidate();
  }

  // Learn how far things reach and how large vectors and strains get: every frame that will be seen.
  // margin: room to move, in sizes of the model.
  measure(frames: Iterable<Float32Array>, margin = 0): void {
    this.box.makeEmpty();
    this.outline.clear();
    const p = new THREE.Vector3();
    let peak = 0;
    for (const x of frames) {
      this.outline.next();
      for (const g of this.data.groups) this.reach(g, x, p);
      for (const d of this.drawings) if (d instanceof Arrows || d instanceof Turns) d.measure(x);
      if (this.rods) peak = Math.max(peak, this.rods.tubes.peak(x));
    }
    if (this.rods) this.rods.tubes.range = peak;
    if (this.box.isEmpty()) for (const c of [-0.5, 0.5]) this.put(p.set(c, c, c));
    const least = 0.1 * this.data.size;
    const size = this.box.getSize(new THREE.Vector3());
    this.box.expandByVector(new THREE.Vector3(Math.max(0, least - size.x) / 2, Math.max(0, least - size.y) / 2, Math.max(0, least - size.z) / 2));
    this.room = margin * this.data.size;
    this.box.expandByScalar(this.room);
    this.layGround();
  }

  // One more frame of a motion whose end is not known.
  learn(x: Float32Array): void {
    for (const d of this.drawings) if (d instanceof Arrows || d instanceof Turns) d.measure(x);
    if (this.rods) {
      // a maximum is forgotten within seconds, so that the colours show the present strains
      const peak = this.rods.tubes.peak(x);
      this.rods.tubes.range = Math.max(peak, peak + (this.rods.tubes.range - peak) * 0.985);
    }
  }

  private put(c: THREE.Vector3): void {
    this.box.expandByPoint(c);
    this.outline.add(c);
  }

  private reach(g: Group, x: Float32Array, p: THREE.Vector3): void {
    const add = (o: number) => this.put(p.set(x[o]!, x[o + 1]!, x[o + 2]!));
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
        this.put(corner.add(p.set(x[o]!, x[o + 1]!, x[o + 2]!)));
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
          fade.push(1, 1, 1, 0.75 * Math.max(0, 1 - Math.hypot(x, y) / half));
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
  private room = 0; // around the outline [m]

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

  // The broad side of the model, seen a little from above and from the side; well from above when it lies flat.
  home(): void {
    const size = this.outline.spread;
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
    const planar = width(flat[0]!) < 0.35 * width(flat[1]!);
    const lying = Math.abs(size.dot(this.up)) < 0.3 * width(flat[0]!);
    const turn = planar ? 0.42 : 0.6;
    const rise = lying ? 0.62 : planar ? 0.22 : 0.34;
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
    // The pyramid of view touches the outline: |r - x| <= k (distance - depth) on both sides, likewise upwards.
    const fit = (axis: THREE.Vector3, k: number): [number, number] => {
      let high = -Infinity;
      let low = -Infinity;
      for (const p of this.outline.points) {
        const r = p.dot(axis);
        const depth = p.dot(eye);
        high = Math.max(high, r + k * depth);
        low = Math.max(low, k * depth - r);
      }
      const room = this.room * Math.hypot(1, k);
      return [(high - low) / 2, (high + low + 2 * room) / (2 * k)];
    };
    const [x, far] = fit(right, (tan * this.camera.aspect) / 1.2);
    const [y, farther] = fit(top, tan / 1.24);
    const depth = this.centre.dot(eye);
    const distance = Math.max(far, farther, depth + 0.2 * this.data.size) - depth;
    const middle = new THREE.Vector3().addScaledVector(right, x).addScaledVector(top, y).addScaledVector(eye, depth);
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
    this.renderer?.setPixelRatio(ratio);
    this.renderer?.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    stickPixel.value = (1.5 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(height, 1);
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
      const m = new LineMaterial({ color: this.palette.trail, linewidth: 1.8, transparent: true, opacity: 0.6, depthWrite: false });
      const line = new Line2(new LineGeometry().setPositions(points), m);
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
    this.renderer?.render(this.scene, this.camera);
    this.frames++;
    return true;
  }
}

function makeRenderer(canvas: HTMLCanvasElement): THREE.WebGLRenderer | null {
  try {
    const r = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    r.shadowMap.enabled = true;
    r.shadowMap.type = THREE.PCFShadowMap;
    return r;
  } catch {
    return null;
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
