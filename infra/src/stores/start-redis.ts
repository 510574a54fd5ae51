import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { type Child, type ChildEvents, type ChildSpec, startChild } from '../processes/child.ts'

export interface RedisOptions {
  /** The server's program, from `findRedis`. */
  readonly program: string
  /** Folder of the append-only file. */
  readonly folder: string
  readonly port: number
  /** Letters, digits, `-` and `_`; none by default, for tests. */
  readonly password?: string
  /** False: writes no data to disk, for tests. */
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
  return { ...child, port: options.port, url: redisUrl(options) }
}

/** Prepares the folder, and describes how to run a server on it. */
export function redisSpec(options: RedisOptions): ChildSpec {
  const { program, folder } = options
  return {
    name: 'redis',
    command: program,
    args: [writeSettings(options)],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 30_000,
    readyTimeoutMs: 60_000,
    isReady: () => answersPing(options),
  }
}

/** In a file that only its owner can read, because every user of a machine sees the arguments of a process. */
function writeSettings({ folder, port, password, durable = true }: RedisOptions): string {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: durable ? 'yes' : 'no',
    save: '',
    maxmemory: '1gb',
    'maxmemory-policy': 'noeviction',
    // How often it looks after itself, per second. Ten times as many, the default, keep an idle machine busy.
    hz: '1',
    ...(password === undefined ? {} : { requirepass: password }),
  }
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  const file = path.join(folder, 'redis.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return file
}

export function redisUrl({ port, password }: Pick<RedisOptions, 'port' | 'password'>): string {
  return password === undefined ? `redis://127.0.0.1:${port}` : `redis://:${password}@127.0.0.1:${port}`
}

/** Whether a Redis that has finished loading answers on this port, and accepts the password. */
function answersPing({ port, password }: RedisOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(password === undefined ? 'PING\r\n' : `AUTH ${password}\r\nPING\r\n`)
    })
    let answer = ''
    const finish = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.setTimeout(1_000, () => finish(false))
    socket.on('data', (data) => {
      answer += data.toString()
      if (answer.includes('+PONG')) finish(true)
      else if (answer.includes('-')) finish(false)
    })
    socket.once('error', () => finish(false))
  })
}
