// How far a moving thing reaches, and how broad it is: the outermost points along many directions, which is all a
// camera has to know of it, and the mean spread of its points.
import * as THREE from 'three';

const MOST = 2000; // points looked at in a frame; of more, every second, third, ...

// Towards the points of a cube's surface, five by five on each face.
function directions(): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  for (let i = -2; i <= 2; i++)
    for (let j = -2; j <= 2; j++)
      for (let k = -2; k <= 2; k++)
        if (Math.max(Math.abs(i), Math.abs(j), Math.abs(k)) === 2) out.push(new THREE.Vector3(i, j, k).normalize());
  return out;
}

export class Outline {
  private readonly towards = directions();
  private readonly far = this.towards.map(() => -Infinity);
  readonly points = this.towards.map(() => new THREE.Vector3());
  private readonly sum = new THREE.Vector3();
  private readonly squares = new THREE.Vector3();
  private readonly variance = new THREE.Vector3();
  private count = 0;
  private stride = 1;
  private frames = 0;

  clear(): void {
    this.far.fill(-Infinity);
    this.points.forEach((p) => p.set(0, 0, 0));
    this.variance.set(0, 0, 0);
    this.sum.set(0, 0, 0);
    this.squares.set(0, 0, 0);
    this.count = this.frames = 0;
    this.stride = 1;
  }

  // Points that follow are of another frame.
  next(): void {
    if (!this.count) return;
    const n = this.count;
    this.variance.add(this.squares.divideScalar(n).sub(this.sum.divideScalar(n).multiply(this.sum)));
    this.frames++;
    this.stride = Math.ceil(n / MOST);
    this.sum.set(0, 0, 0);
    this.squares.set(0, 0, 0);
    this.count = 0;
  }

  add(p: THREE.Vector3): void {
    if (this.count++ % this.stride) return;
    const w = this.stride;
    this.sum.addScaledVector(p, w);
    this.squares.x += w * p.x * p.x;
    this.squares.y += w * p.y * p.y;
    this.squares.z += w * p.z * p.z;
    for (let k = 0; k < this.towards.length; k++) {
      const d = p.dot(this.towards[k]!);
      if (d <= this.far[k]!) continue;
      this.far[k] = d;
      this.points[k]!.copy(p);
    }
  }

  // Root mean square distance from the middle along each axis, the mean over all frames.
  get spread(): THREE.Vector3 {
    this.next();
    const v = this.variance.clone().divideScalar(Math.max(this.frames, 1));
    return v.set(Math.sqrt(Math.max(v.x, 0)), Math.sqrt(Math.max(v.y, 0)), Math.sqrt(Math.max(v.z, 0)));
  }
}
