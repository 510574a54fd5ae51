import type { Machine } from '../processes/install-program.ts'
import { findChromium } from './find-chromium.ts'

/** A machine whose apt-get installs Chromium, or fails with an output. */
function machineWith(programs: readonly string[], failure?: string): Machine & { readonly ran: string[] } {
  const found = new Set(programs)
  const ran: string[] = []
  return {
    ran,
    isRoot: true,
    which: (name) => (found.has(name) ? `/usr/bin/${name}` : null),
    async run(command, args) {
      ran.push([command, ...args].join(' '))
      if (failure !== undefined) return { ok: false, output: failure }
      if (args.includes('install')) found.add('chromium')
      return { ok: true, output: '' }
    },
  }
}

const said: string[] = []
const find = (machine: Machine, env = {}) => findChromium({ machine, env, say: (text) => said.push(text) })
beforeEach(() => said.splice(0))

it('takes the browser that CHROMIUM_PATH names, and refuses one that does not exist', async () => {
  expect(await find(machineWith(['chromium']), { CHROMIUM_PATH: process.execPath })).toBe(process.execPath)
  await expect(find(machineWith(['chromium']), { CHROMIUM_PATH: '/nowhere' })).rejects.toThrow('/nowhere')
})

it('takes the browser of the machine, and installs nothing', async () => {
  const machine = machineWith(['google-chrome', 'apt-get'])
  expect(await find(machine)).toBe('/usr/bin/google-chrome')
  expect([machine.ran, said]).toEqual([[], []])
})

it('installs Chromium where it can, and says so before', async () => {
  const machine = machineWith(['apt-get'])
  expect(await find(machine)).toBe('/usr/bin/chromium')
  expect(machine.ran.at(-1)).toMatch(/apt-get .*install -y --no-install-recommends chromium$/)
  expect(said).toEqual(['Chromium is not installed; installing it with apt-get'])
})

it('advises where it cannot', async () => {
  await expect(find(machineWith([]))).rejects.toThrow('CHROMIUM_PATH')
  await expect(find(machineWith(['apt-get'], 'E: no network'))).rejects.toThrow('E: no network. Install Chromium')
})
