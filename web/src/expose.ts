// What programs that drive the page may call, as `window.tendril`: tests, screenshots and videos.
import * as THREE from 'three';
import { ticks } from './data';
import type { LivePage } from './live';
import { ReportPage } from './report';

export function expose(page: ReportPage | LivePage): void {
  const { shell } = page;
  const common = {
    // The picture alone; its size in CSS pixels is the window's.
    bare: (on: boolean) => {
      shell.bare(on);
      shell.stage.home();
      shell.render(true);
    },
    theme: (t: 'light' | 'dark') => {
      shell.setTheme(t);
      shell.render(true);
    },
    home: () => shell.stage.home(),
    // Look from a direction, given as three numbers of the world.
    look: (x: number, y: number, z: number) => {
      shell.stage.look(new THREE.Vector3(x, y, z));
      shell.render(true);
    },
    info: () => {
      const info = shell.stage.renderer?.info;
      return { calls: info?.render.calls ?? 0, triangles: info?.render.triangles ?? 0, geometries: info?.memory.geometries ?? 0, drawn: shell.stage.frames };
    },
    project: (x: number, y: number, z: number) => shell.stage.project(new THREE.Vector3(x, y, z)),
    // Leave kinds of things out of the picture, for tests that look for one of them.
    hide: (kind: string, hidden: boolean) => {
      shell.stage.hide(kind, hidden);
      shell.render(true);
    },
    frame: () => Array.from(shell.frame),
    ticks, // labels of the marks of an axis
    scene: () => shell.stage.data,
    render: () => shell.render(true),
  };
  const own =
    page instanceof ReportPage
      ? {
          kind: 'report',
          span: () => [page.start, page.end],
          hasMotion: () => page.hasMotion,
          seek: (t: number) => {
            page.play(false);
            page.seek(t);
            shell.render(true);
          },
          // One of the six strains of the chosen rod over its arc length at a time.
          strain: (i: number, t: number) => page.strains?.curve(i, t) ?? null,
          // All but the drawing, for measuring.
          place: (t: number) => page.seek(t),
          choose: (what: 'motion' | 'equilibrium' | 'mode', mode = 0) => page.choose(what === 'mode' ? { what, mode } : { what }),
          state: () => {
            const { time, show, playing, cursor } = page.state;
            return { time, show, playing, cursor };
          },
        }
      : { kind: 'live', state: () => page.state };
  Object.assign(window, { tendril: { ...common, ...own } });
}
