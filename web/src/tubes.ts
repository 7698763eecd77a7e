// All rods in one mesh: rings along smooth curves through their points, coloured by strain.
import * as THREE from 'three';
import type { RodItem } from './data';

const SIDES = 24;

interface Profile {
  x: number[];
  y: number[];
  nx: number[];
  ny: number[];
}

// Points and outward normals around a section of width and height 2.
function profile(angular: boolean): Profile {
  const p: Profile = { x: [], y: [], nx: [], ny: [] };
  const add = (x: number, y: number, nx: number, ny: number) => {
    p.x.push(x);
    p.y.push(y);
    p.nx.push(nx);
    p.ny.push(ny);
  };
  if (angular) {
    for (const [nx, ny] of [[1, 0], [0, 1], [-1, 0], [0, -1]] as const) {
      add(nx + ny, ny - nx, nx, ny);
      add(nx - ny, ny + nx, nx, ny);
    }
  } else {
    for (let k = 0; k <= SIDES; k++) {
      const a = (2 * Math.PI * k) / SIDES;
      add(Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a));
    }
  }
  return p;
}

interface Tube {
  rod: RodItem;
  profile: Profile;
  rings: number;
  span: Int32Array; // per ring: the piece between two points it is in
  part: Float32Array; // and how far along
  strainAt: Int32Array; // the same for strains
  strainPart: Float32Array;
  width: Float32Array;
  height: Float32Array;
  modulus: Float32Array;
  first: number; // vertex
}

function locate(list: number[], x: number): [number, number] {
  if (list.length < 2) return [0, 0];
  let i = 0;
  while (i < list.length - 2 && list[i + 1]! < x) i++;
  return [i, Math.min(Math.max((x - list[i]!) / (list[i + 1]! - list[i]!), 0), 1)];
}

const lerp = (a: number, b: number, s: number) => a + s * (b - a);
const at = (list: number[] | undefined, i: number, s: number) =>
  list && list.length ? lerp(list[i]!, list[Math.min(i + 1, list.length - 1)]!, s) : 0;

export type RodColour = 'strain' | 'stress' | 'plain';

export class Tubes {
  readonly mesh: THREE.Mesh;
  readonly tubes: Tube[];
  range = 0; // strain or stress of the last colour
  colouring: RodColour = 'strain';
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly colour: THREE.BufferAttribute;
  private readonly curve: THREE.Vector3[] = [];
  private readonly tangent = new THREE.Vector3();
  private readonly before = new THREE.Vector3();
  private readonly u = new THREE.Vector3();
  private readonly v = new THREE.Vector3();

  constructor(rods: RodItem[], fallback: number, private readonly map: (s: number, out: THREE.Color) => void, readonly plain: THREE.Color) {
    let vertices = 0;
    const index: number[] = [];
    this.tubes = rods.map((rod) => {
      const t = this.make(rod, fallback, vertices);
      const n = t.profile.x.length;
      for (let r = 0; r + 1 < t.rings; r++)
        for (let k = 0; k + 1 < n; k++) {
          if (rod.angular && k % 2 === 1) continue;
          const a = vertices + r * n + k;
          index.push(a, a + 1, a + n, a + 1, a + n + 1, a + n);
        }
      // flat ends, with vertices of their own
      const cap = vertices + t.rings * n;
      for (let k = 1; k + 1 < n; k++) {
        index.push(cap, cap + k + 1, cap + k);
        index.push(cap + n, cap + n + k, cap + n + k + 1);
      }
      vertices = cap + 2 * n;
      return t;
    });
    const attribute = () => {
      const x = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3);
      x.setUsage(THREE.DynamicDrawUsage);
      return x;
    };
    this.position = attribute();
    this.normal = attribute();
    this.colour = attribute();
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', this.position);
    geometry.setAttribute('normal', this.normal);
    geometry.setAttribute('color', this.colour);
    geometry.setIndex(index);
    const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.45, metalness: 0.0 });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  private make(rod: RodItem, fallback: number, first: number): Tube {
    const spans = Math.max(rod.at.length - 1, 1);
    const per = Math.max(2, Math.ceil(48 / spans));
    const rings = spans * per + 1;
    const t: Tube = {
      rod,
      profile: profile(rod.angular),
      rings,
      span: new Int32Array(rings),
      part: new Float32Array(rings),
      strainAt: new Int32Array(rings),
      strainPart: new Float32Array(rings),
      width: new Float32Array(rings),
      height: new Float32Array(rings),
      modulus: new Float32Array(rings),
      first,
    };
    for (let r = 0; r < rings; r++) {
      const i = Math.min(Math.floor(r / per), spans - 1);
      const s = r / per - i;
      t.span[r] = i;
      t.part[r] = s;
      const arc = at(rod.arc, i, s);
      t.width[r] = 0.5 * (at(rod.width, i, s) || fallback);
      t.height[r] = 0.5 * (at(rod.height ?? rod.width, i, s) || fallback);
      const [k, w] = locate(rod.strain_arc ?? [], arc);
      t.strainAt[r] = k;
      t.strainPart[r] = w;
      t.modulus[r] = at(rod.modulus, k, w);
    }
    return t;
  }

  get hasStress(): boolean {
    return this.tubes.some((t) => t.modulus.some((x) => x > 0));
  }

  get hasStrain(): boolean {
    return this.tubes.some((t) => (t.rod.strain?.length ?? 0) > 0);
  }

  // Largest strain or stress of a frame.
  peak(frame: Float32Array): number {
    let most = 0;
    for (const t of this.tubes)
      t.rod.strain?.forEach((o, i) => {
        const e = this.colouring === 'stress' ? (t.rod.modulus?.[i] ?? 0) : 1;
        most = Math.max(most, frame[o]! * e);
      });
    return most;
  }

  // Cubic through the points: slopes by differences of arc length, as the rod is smooth.
  private centreLine(t: Tube, frame: Float32Array): void {
    const { at: offsets, arc } = t.rod;
    const n = offsets.length;
    const slope = (i: number, c: number) => {
      const a = Math.max(i - 1, 0);
      const b = Math.min(i + 1, n - 1);
      if (i > 0 && i < n - 1) {
        const h0 = arc[i]! - arc[a]!;
        const h1 = arc[b]! - arc[i]!;
        const d0 = (frame[offsets[i]! + c]! - frame[offsets[a]! + c]!) / h0;
        const d1 = (frame[offsets[b]! + c]! - frame[offsets[i]! + c]!) / h1;
        return (h1 * d0 + h0 * d1) / (h0 + h1);
      }
      if (n < 3) return (frame[offsets[b]! + c]! - frame[offsets[a]! + c]!) / (arc[b]! - arc[a]!);
      // parabola through the three points at the end
      const [p, q, r] = i === 0 ? [0, 1, 2] : [n - 1, n - 2, n - 3];
      const h0 = arc[q]! - arc[p]!;
      const h1 = arc[r]! - arc[q]!;
      const d0 = (frame[offsets[q]! + c]! - frame[offsets[p]! + c]!) / h0;
      const d1 = (frame[offsets[r]! + c]! - frame[offsets[q]! + c]!) / h1;
      return d0 + (h0 * (d0 - d1)) / (h0 + h1);
    };
    for (let r = 0; r < t.rings; r++) {
      const i = t.span[r]!;
      const s = t.part[r]!;
      const h = (arc[i + 1] ?? arc[i]!) - arc[i]!;
      const p = (this.curve[r] ??= new THREE.Vector3());
      for (let c = 0; c < 3; c++) {
        const a = frame[offsets[i]! + c]!;
        const b = frame[offsets[Math.min(i + 1, n - 1)]! + c]!;
        const ma = h * slope(i, c);
        const mb = h * slope(Math.min(i + 1, n - 1), c);
        const s2 = s * s;
        const s3 = s2 * s;
        p.setComponent(
          c,
          (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * ma + (3 * s2 - 2 * s3) * b + (s3 - s2) * mb,
        );
      }
    }
  }

  private shade = new THREE.Color();

  private updateOne(t: Tube, frame: Float32Array): void {
    this.centreLine(t, frame);
    const n = t.profile.x.length;
    const P = this.position.array as Float32Array;
    const N = this.normal.array as Float32Array;
    const C = this.colour.array as Float32Array;
    const { u, v, tangent, before } = this;
    for (let r = 0; r < t.rings; r++) {
      const a = this.curve[Math.max(r - 1, 0)]!;
      const b = this.curve[Math.min(r + 1, t.rings - 1)]!;
      tangent.subVectors(b, a);
      if (tangent.lengthSq() > 0) tangent.normalize();
      else tangent.copy(before);
      if (t.rod.across) {
        const i = t.span[r]!;
        const s = t.part[r]!;
        const o = t.rod.across[i]!;
        const p = t.rod.across[Math.min(i + 1, t.rod.across.length - 1)]!;
        u.set(lerp(frame[o]!, frame[p]!, s), lerp(frame[o + 1]!, frame[p + 1]!, s), lerp(frame[o + 2]!, frame[p + 2]!, s));
      } else if (r === 0) {
        u.set(1, 0, 0);
        if (Math.abs(tangent.x) > 0.9) u.set(0, 1, 0);
      }
      // across the tangent; without directions of its own, carried along
      u.addScaledVector(tangent, -u.dot(tangent)).normalize();
      v.crossVectors(tangent, u);
      before.copy(tangent);

      const o = t.rod.strain;
      let value = 0;
      if (o && o.length) {
        const k = t.strainAt[r]!;
        value = lerp(frame[o[k]!]!, frame[o[Math.min(k + 1, o.length - 1)]!]!, t.strainPart[r]!);
        if (this.colouring === 'stress') value *= t.modulus[r]!;
      }
      if (this.colouring === 'plain' || this.range <= 0) this.shade.copy(this.plain);
      else this.map(value / this.range, this.shade);

      const c = this.curve[r]!;
      for (let k = 0; k < n; k++) {
        const x = t.profile.x[k]! * t.width[r]!;
        const y = t.profile.y[k]! * t.height[r]!;
        const nx = t.profile.nx[k]!;
        const ny = t.profile.ny[k]!;
        const base = 3 * (t.first + r * n + k);
        const put = (at: number, kx: number, ky: number, kz: number) => {
          P[at] = c.x + u.x * x + v.x * y;
          P[at + 1] = c.y + u.y * x + v.y * y;
          P[at + 2] = c.z + u.z * x + v.z * y;
          N[at] = kx;
          N[at + 1] = ky;
          N[at + 2] = kz;
          C[at] = this.shade.r;
          C[at + 1] = this.shade.g;
          C[at + 2] = this.shade.b;
        };
        put(base, u.x * nx + v.x * ny, u.y * nx + v.y * ny, u.z * nx + v.z * ny);
        const cap = 3 * (t.first + t.rings * n);
        if (r === 0) put(cap + 3 * k, -tangent.x, -tangent.y, -tangent.z);
        if (r === t.rings - 1) put(cap + 3 * (n + k), tangent.x, tangent.y, tangent.z);
      }
    }
  }

  update(frame: Float32Array): void {
    for (const t of this.tubes) if (t.rod.at.length > 1) this.updateOne(t, frame);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.colour.needsUpdate = true;
  }
}
