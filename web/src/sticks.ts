// Many things that run from a point to another, in one draw call: a unit geometry along z is put between
// the two points by the vertex shader, so that a frame costs seven numbers an instance.
import * as THREE from 'three';

const declare = `
attribute vec3 stickA;
attribute vec3 stickB;
attribute float stickR;
attribute vec3 stickColour;
uniform float stickPixel;
#ifdef STICK_WIRE
attribute float stickOff;
#endif
varying vec3 vStickColour;
mat3 stickBasis(out float len) {
  vec3 d = stickB - stickA;
  len = length(d);
  vec3 z = len > 0.0 ? d / len : vec3(0.0, 0.0, 1.0);
  vec3 h = abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0);
  vec3 x = normalize(cross(h, z));
  return mat3(x, cross(z, x), z);
}
`;
// stickPixel: half the least width in the picture, at a distance of 1.  The projection of shadows has none.
const place = `
  float stickLength;
  mat3 stickFrame = stickBasis(stickLength);
  vec3 stickMiddle = (modelViewMatrix * vec4(mix(stickA, stickB, position.z), 1.0)).xyz;
  float stickWide = projectionMatrix[3][3] == 0.0 ? max(stickR, -stickPixel * stickMiddle.z) : stickR;
  vec3 stickPoint = vec3(position.xy * stickWide, position.z * stickLength);
#ifdef STICK_WIRE
  stickPoint.z += stickOff * stickR;
#endif
  vec3 transformed = stickA + stickFrame * stickPoint;
  if (stickR <= 0.0 || stickLength <= 0.0) transformed = vec3(0.0);
`;
const placeNormal = `
  float stickL;
  mat3 stickF = stickBasis(stickL);
#ifdef STICK_WIRE
  vec3 objectNormal = stickF * normal;
#else
  vec3 objectNormal = normalize(stickF * vec3(normal.xy / max(stickR, 1e-20), normal.z / max(stickL, 1e-20)));
#endif
  vStickColour = stickColour;
`;

// Shared by all sticks: follows the camera.
export const stickPixel = { value: 0 };

function patch(material: THREE.Material, lit: boolean, wire: boolean): void {
  if (wire) material.defines = { ...material.defines, STICK_WIRE: '' };
  material.onBeforeCompile = (shader) => {
    shader.uniforms.stickPixel = wire ? { value: 0 } : stickPixel;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${declare}`)
      .replace('#include <begin_vertex>', place);
    if (!lit) return;
    shader.vertexShader = shader.vertexShader.replace('#include <beginnormal_vertex>', placeNormal);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vStickColour;')
      .replace('#include <color_fragment>', '#include <color_fragment>\n  diffuseColor.rgb *= vStickColour;');
  };
  material.customProgramCacheKey = () => (lit ? 'stick-lit' : 'stick-depth') + (wire ? '-wire' : '');
}

export class Sticks {
  readonly mesh: THREE.Mesh;
  private readonly a: THREE.InstancedBufferAttribute;
  private readonly b: THREE.InstancedBufferAttribute;
  private readonly r: THREE.InstancedBufferAttribute;
  private readonly colours: THREE.InstancedBufferAttribute;

  constructor(unit: THREE.BufferGeometry, readonly count: number, options: THREE.MeshStandardMaterialParameters = {}) {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.index = unit.index;
    geometry.setAttribute('position', unit.getAttribute('position'));
    geometry.setAttribute('normal', unit.getAttribute('normal'));
    const off = unit.getAttribute('stickOff');
    if (off) geometry.setAttribute('stickOff', off);
    geometry.instanceCount = count;
    const attribute = (name: string, size: number) => {
      const x = new THREE.InstancedBufferAttribute(new Float32Array(size * count), size);
      x.setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute(name, x);
      return x;
    };
    this.a = attribute('stickA', 3);
    this.b = attribute('stickB', 3);
    this.r = attribute('stickR', 1);
    this.colours = attribute('stickColour', 3);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1, ...options });
    patch(material, true, !!off);
    const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    patch(depth, false, !!off);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.customDepthMaterial = depth;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  set(i: number, ax: number, ay: number, az: number, bx: number, by: number, bz: number, r: number): void {
    const a = this.a.array as Float32Array;
    const b = this.b.array as Float32Array;
    const k = 3 * i;
    a[k] = ax;
    a[k + 1] = ay;
    a[k + 2] = az;
    b[k] = bx;
    b[k + 1] = by;
    b[k + 2] = bz;
    (this.r.array as Float32Array)[i] = r;
  }

  colour(i: number, c: THREE.Color): void {
    this.colours.setXYZ(i, c.r, c.g, c.b);
    this.colours.needsUpdate = true;
  }

  changed(): void {
    this.a.needsUpdate = true;
    this.b.needsUpdate = true;
    this.r.needsUpdate = true;
  }
}

// ---- unit geometries: radius 1 about z, from z = 0 to z = 1

export function unitCylinder(sides = 16, open = false): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(1, 1, 1, sides, 1, open).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

export function unitCone(sides = 20): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, sides).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

// A spring: a wire of round section that winds about z.  Along z its thickness goes with the radius, not with the
// length: that part of each vertex is kept apart (stickOff).
export function unitCoil(turns = 8): THREE.BufferGeometry {
  const rings = turns * 24;
  const around = 8;
  const wire = 0.17;
  const lead = 0.1;
  const position: number[] = [];
  const normal: number[] = [];
  const off: number[] = [];
  const index: number[] = [];
  for (let i = 0; i <= rings; i++) {
    const s = i / rings;
    const u = Math.min(Math.max((s - lead) / (1 - 2 * lead), 0), 1);
    const out = Math.min(1, 14 * Math.min(u, 1 - u));
    const a = 2 * Math.PI * turns * u;
    const c = Math.cos(a);
    const d = Math.sin(a);
    for (let k = 0; k <= around; k++) {
      const f = (2 * Math.PI * k) / around;
      // a straight lead along z at both ends: its section lies across
      const flat = out === 0;
      const r = out + wire * Math.cos(f);
      if (flat) {
        position.push(wire * Math.cos(f), wire * Math.sin(f), s);
        normal.push(Math.cos(f), Math.sin(f), 0);
        off.push(0);
      } else {
        position.push(r * c, r * d, s);
        normal.push(Math.cos(f) * c, Math.cos(f) * d, Math.sin(f));
        off.push(wire * Math.sin(f));
      }
      if (i < rings && k < around) {
        const at = i * (around + 1) + k;
        index.push(at, at + around + 1, at + 1, at + 1, at + around + 1, at + around + 2);
      }
    }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  g.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3));
  g.setAttribute('stickOff', new THREE.Float32BufferAttribute(off, 1));
  g.setIndex(index);
  return g;
}

export function unitPiston(): THREE.BufferGeometry {
  const points = [0, 0.25, 0.25, 0.25, 1, 1, 0.25, 0.25, 0].map((r, i) => {
    const z = [0, 0, 0.3, 0.3, 0.3, 0.68, 0.68, 1, 1][i]!;
    return new THREE.Vector2(r, z);
  });
  const g = new THREE.LatheGeometry(points, 20).rotateX(Math.PI / 2);
  const flat = g.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
