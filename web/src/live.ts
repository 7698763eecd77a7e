// The live view: a model that runs in the program behind the page.
import type { Live, SceneData } from './data';
import { Shell } from './shell';
export class LivePage {
  readonly shell: Shell;
  constructor(data: Live) {
    this.shell = new Shell(data.title, { format: 1, size: 1, up: [0, 0, 1], gravity: 0, groups: [], numbers: 0 } as SceneData, []);
  }
  get state() {
    return {};
  }
}
