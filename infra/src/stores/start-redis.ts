import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { type Child, type ChildEvents, type ChildSpec, startChild } from '../processes/child.ts'

export interface RedisOptions {
  /** The server's program, from `findRedis`. */
  readonly program: string
  /** Folder of the append-only file. */
  readonly folder: string
  readonly port: number
  /** False: writes nothing to disk, for tests. */
  readonly durable?: boolean
}

export interface RunningRedis extends Child {
  readonly port: number
  readonly url: string
}

/**
 * Starts a Redis (or Valkey) with the settings that the queues need: an append-only file, and no eviction.
 *
 * @throws ReadableError when it does not become ready
 */
export async function startRedis(options: RedisOptions, events: ChildEvents = {}): Promise<RunningRedis> {
  const child = await startChild(redisSpec(options), events)
  return { ...child, port: options.port, url: redisUrl(options.port) }
}

/** Describes how to run a server on the folder. */
export function redisSpec({ program, folder, port, durable = true }: RedisOptions): ChildSpec {
  mkdirSync(folder, { recursive: true })
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: durable ? 'yes' : 'no',
    save: '',
    'maxmemory-policy': 'noeviction',
    // How often it looks after itself, per second. Ten times as many, the default, keep an idle machine busy.
    hz: '1',
  }
  return {
    name: 'redis',
    command: program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 30_000,
    readyTimeoutMs: 60_000,
    isReady: () => answersPing(port),
  }
}

export function redisUrl(port: number): string {
  return `redis://127.0.0.1:${port}`
}

/** Whether a Redis that has finished loading answers on this port. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1_000, () => finish(false))
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')))
    socket.once('error', () => finish(false))
  })
}
