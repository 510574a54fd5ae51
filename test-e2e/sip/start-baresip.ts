import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { choosePort } from '@ratchet/infra/processes/free-port'
import type { SipPrograms } from '@ratchet/infra/sip-programs/find-sip-programs'
import { eventually } from '@ratchet/testing/eventually'
import { loopback } from './real-agent.ts'
import { readWav, writeWav } from './wav-file.ts'

interface BaresipEvent {
  readonly type: string
  readonly param?: string
}

/** A telephone that says what a file has and writes what it hears to another. */
export interface Baresip {
  readonly port: number
  readonly events: readonly BaresipEvent[]
  /** Runs a command of its menu, such as `dial`. */
  command(name: string, params?: string): void
  /** What it has heard in its last call, at 8 kHz. */
  heard(): Int16Array
  stop(): Promise<void>
}

export interface BaresipOptions {
  /** What it says in each call, at 8 kHz. */
  readonly says: Int16Array
  readonly codec: 'PCMU' | 'PCMA'
  /** The user part of its address; `phone` when left out. */
  readonly user?: string
}

export async function startBaresip(
  programs: SipPrograms & { readonly kind: 'found' },
  { says, codec, user = 'phone' }: BaresipOptions,
): Promise<Baresip> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratchet-baresip-'))
  // Its TLS takes the next port.
  const port = await choosePort({ preferred: 25_060 })
  const controlPort = await choosePort({ preferred: 25_180 })
  // At the end of its file it stops sending, keys included.
  const withSilence = new Int16Array(says.length + 30 * 8_000)
  withSilence.set(says)
  writeWav(path.join(folder, 'says.wav'), withSilence, 8_000)
  writeConfig(folder, { modules: programs.baresipModules, port, controlPort, codec, user })
  const child = spawn(programs.baresip, ['-f', folder], { env: { ...programs.env, HOME: folder }, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const events: BaresipEvent[] = []
  const control = await eventually(() => connectTo(controlPort))
  control.on('data', collectEvents(events))
  return {
    port,
    events,
    command(name, params = '') {
      const text = JSON.stringify({ command: name, params })
      control.write(`${Buffer.byteLength(text)}:${text},`)
    },
    heard() {
      const files = readdirSync(path.join(folder, 'heard')).filter((name) => name.endsWith('-dec.wav'))
      const last = files.toSorted().at(-1)
      return last === undefined ? new Int16Array(0) : readWav(path.join(folder, 'heard', last))
    },
    async stop() {
      control.destroy()
      child.kill('SIGTERM')
      await exited
    },
  }
}

function writeConfig(
  folder: string,
  options: {
    readonly modules: string
    readonly port: number
    readonly controlPort: number
    readonly codec: string
    readonly user: string
  },
): void {
  const { modules, port, controlPort, codec, user } = options
  mkdirSync(path.join(folder, 'heard'))
  const config = [
    `sip_listen ${loopback}:${port}`,
    `audio_source aufile,${path.join(folder, 'says.wav')}`,
    'audio_player aubridge,nil',
    'audio_alert aubridge,nil',
    `module_path ${modules}`,
    ...['g711', 'aufile', 'aubridge', 'sndfile'].map((name) => `module ${name}.so`),
    ...['account', 'menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
    `ctrl_tcp_listen ${loopback}:${controlPort}`,
    `snd_path ${path.join(folder, 'heard')}`,
    'rtp_ports 31000-31400',
    '',
  ]
  writeFileSync(path.join(folder, 'config'), config.join('\n'))
  const account = `<sip:${user}@${loopback}:${port}>;regint=0;answermode=auto;audio_codecs=${codec}`
  writeFileSync(path.join(folder, 'accounts'), `${account}\n`)
  writeFileSync(path.join(folder, 'contacts'), '')
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, loopback)
  await once(socket, 'connect')
  return socket
}

/** Its messages are netstrings: `12:{"type":…},`. */
function collectEvents(events: BaresipEvent[]): (bytes: Buffer) => void {
  let held = ''
  return (bytes) => {
    held += bytes.toString('latin1')
    for (;;) {
      const colon = held.indexOf(':')
      const end = colon + 1 + Number(held.slice(0, colon))
      if (colon < 0 || held.length <= end) return
      const message = JSON.parse(held.slice(colon + 1, end)) as BaresipEvent
      if (message.type !== undefined) events.push(message)
      held = held.slice(end + 1)
    }
  }
}
