import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import fc from 'fast-check'
import { Dispatcher } from 'undici'
import { createUpstream } from './create-upstream.ts'
import { type CallClocks, startUpstreamCall, type UpstreamCall, type UpstreamFailure } from './upstream-call.ts'

const patient: CallClocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 }
const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
})

async function upstreamThat(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Heard {
  status: number | null
  body: string
  end: string
}

function call(
  origin: string,
  { pieceBytes, ...clocks }: CallClocks & { readonly pieceBytes?: number },
  onData: (call: UpstreamCall, chunk: Buffer) => void = () => undefined,
) {
  const pool = createUpstream({ origin, connections: 10, connectTimeoutMs: 200 })
  return new Promise<Heard>((resolve) => {
    const heard: Heard = { status: null, body: '', end: '' }
    const over = (end: string) => {
      resolve({ ...heard, end })
      void pool.destroy()
    }
    const started = startUpstreamCall(
      pool,
      {
        method: 'POST',
        path: '/x',
        headers: {},
        body: Buffer.from('{}'),
        clocks,
        ...(pieceBytes === undefined ? {} : { pieceBytes }),
      },
      {
        onHead: (status) => {
          heard.status = status
        },
        onData: (chunk) => {
          heard.body += chunk.toString('latin1')
          onData(started, chunk)
        },
        onEnd: () => over('end'),
        onFailure: ({ kind }) => over(kind),
      },
    )
  })
}

/** Calls its handler in one turn, as undici does when a connection ends while pieces wait. */
class HandedOver extends Dispatcher {
  #handler: Dispatcher.DispatchHandler | undefined
  /** Whether the connection may be read. */
  isPaused = false
  pauses = 0
  readonly #controller = {
    pause: () => {
      this.isPaused = true
      this.pauses += 1
    },
    resume: () => {
      this.isPaused = false
    },
    abort: () => undefined,
  } as unknown as Dispatcher.DispatchController

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#handler = handler
    return true
  }

  answer(body: Buffer, how: 'ends' | 'breaks'): void {
    this.begin()
    this.send(body)
    if (how === 'ends') this.answerEnd()
    else this.#handler?.onResponseError?.(this.#controller, new Error('reset'))
  }

  answerEnd(): void {
    this.#handler?.onResponseEnd?.(this.#controller, {})
  }

  begin(): void {
    this.#handler?.onRequestStart?.(this.#controller, {})
    this.#handler?.onResponseStart?.(this.#controller, 200, {})
  }

  send(chunk: Buffer): void {
    this.#handler?.onResponseData?.(this.#controller, chunk)
  }
}

describe('startUpstreamCall', () => {
  it('reports the status, every byte and the end', async () => {
    const origin = await upstreamThat((_request, response) => {
      response.writeHead(418)
      response.write('he')
      response.end('llo')
    })
    expect(await call(origin, patient)).toEqual({ status: 418, body: 'hello', end: 'end' })
  })

  it('follows no redirect', async () => {
    const origin = await upstreamThat((_request, response) => response.writeHead(302, { location: '/y' }).end())
    expect(await call(origin, patient)).toMatchObject({ status: 302, end: 'end' })
  })

  it('fails with `connect` when no server listens, so that the caller knows that nothing was sent', async () => {
    expect(await call('http://127.0.0.1:1', patient)).toMatchObject({ status: null, end: 'connect' })
  })

  it.each([
    [32, { status: 200, body: 'hello', end: 'end' }],
    [33, { status: null, body: '', end: 'cut' }],
  ])('reads an answer after %i heads that announce one, and cuts the call after more', async (heads, heard) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(heads)
    const origin = await upstreamThat((_request, response) => {
      response.socket?.write(hints)
      response.end('hello')
    })
    expect(await call(origin, patient)).toEqual(heard)
  })

  it('times out before the first byte', async () => {
    const origin = await upstreamThat(() => undefined)
    expect(await call(origin, { ...patient, firstByteMs: 50 })).toMatchObject({ end: 'first_byte_timeout' })
  })

  it('times out inside the answer', async () => {
    const origin = await upstreamThat((_request, response) => void response.write('a'))
    expect(await call(origin, { ...patient, idleMs: 50 })).toMatchObject({ body: 'a', end: 'idle_timeout' })
  })

  it('continues a stream without pauses until the total timeout', async () => {
    const origin = await upstreamThat((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const heard = await call(origin, { firstByteMs: 5_000, idleMs: 200, totalMs: 400 })
    expect(heard.end).toBe('total_timeout')
    expect(heard.body.length).toBeGreaterThan(5)
  })

  it('distinguishes a broken answer from a complete one', async () => {
    const origin = await upstreamThat((_request, response) => {
      response.write('half', () => response.destroy())
    })
    expect(await call(origin, patient)).toMatchObject({ body: 'half', end: 'cut' })
  })

  it('closes the connection at once when aborted', async () => {
    const left = Promise.withResolvers<void>()
    const origin = await upstreamThat((_request, response) => {
      response.on('close', () => left.resolve())
      response.write('a')
    })
    expect(await call(origin, patient, (started) => started.abort())).toMatchObject({ end: 'aborted' })
    await left.promise
  })

  describe('with a limit of bytes per turn', () => {
    const large = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 250))
    const limited = { ...patient, pieceBytes: 1_000 }

    it('reports every byte in order, and gives others their turn while reading takes long', async () => {
      const origin = await upstreamThat((_request, response) => void response.end(large))
      let turns = 0
      let immediate = setImmediate(function next() {
        turns += 1
        immediate = setImmediate(next)
      })
      const turnsAt: number[] = []
      const heard = await call(origin, limited, (_started, chunk) => {
        expect(chunk.length).toBeLessThanOrEqual(1_000)
        turnsAt.push(turns)
        for (const busyUntil = performance.now() + 2; performance.now() < busyUntil; );
      })
      clearImmediate(immediate)
      expect(heard).toEqual({ status: 200, body: large.toString('latin1'), end: 'end' })
      // 50 pieces of 2 ms: at most four of them in 5 ms, or five at the border of two chunks.
      expect(new Set(turnsAt).size).toBeGreaterThanOrEqual(10)
    })

    it('waits between pieces while its reader has paused, and stops when it is aborted', async () => {
      const origin = await upstreamThat((_request, response) => void response.end(large))
      let pieces = 0
      const paused = await call(origin, limited, (started) => {
        pieces += 1
        if (pieces % 7 !== 0) return
        started.pause()
        const seen = pieces
        setTimeout(() => {
          expect(pieces).toBe(seen)
          started.resume()
        }, 10)
      })
      expect(paused.body).toBe(large.toString('latin1'))
      const aborted = await call(origin, limited, (started) => started.abort())
      expect([aborted.body.length, aborted.end]).toEqual([1_000, 'aborted'])
    })

    it.each(['ends', 'breaks'] as const)(
      'fails once when its reader throws at the rest of a call that %s',
      async (how) => {
        const heard: unknown[] = []
        let pieces = 0
        const onData = (chunk: Buffer) => {
          expect(chunk.length).toBeLessThanOrEqual(limited.pieceBytes)
          pieces += 1
          if (pieces === 30) throw new Error('not readable')
        }
        const request = { method: 'POST', path: '/x', headers: {}, body: null, clocks: patient } as const
        const onFailure = (failure: UpstreamFailure) => void heard.push(failure)
        const listener = { onHead: () => undefined, onData, onEnd: () => void heard.push('end'), onFailure }
        const dispatcher = new HandedOver()
        startUpstreamCall(dispatcher, { ...request, pieceBytes: limited.pieceBytes }, listener)
        dispatcher.answer(large, how)
        await eventually(() => expect(heard).toEqual([{ kind: 'cut', cause: new Error('not readable') }]))
        await new Promise((resolve) => setImmediate(resolve))
        expect(heard).toHaveLength(1)
      },
    )

    it('pauses the connection for what a socket delivers at once, not for each chunk', async () => {
      const request = { method: 'POST', path: '/x', headers: {}, body: null, clocks: patient } as const
      const read: Buffer[] = []
      const ends: string[] = []
      const listener = {
        onHead: () => undefined,
        onData: (chunk: Buffer) => void read.push(chunk),
        onEnd: () => void ends.push('end'),
        onFailure: ({ kind }: UpstreamFailure) => void ends.push(kind),
      }
      const dispatcher = new HandedOver()
      const started = startUpstreamCall(dispatcher, { ...request, pieceBytes: 1_000 }, listener)
      dispatcher.begin()
      const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(3_000, index))
      for (const chunk of chunks) {
        await eventually(() => !dispatcher.isPaused, { everyMs: 1 })
        dispatcher.send(chunk)
      }
      // 900 kB, of which the connection is paused for each 64 KB at most.
      expect(dispatcher.pauses).toBeLessThanOrEqual(15)
      await eventually(() => expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true))
      started.pause()
      let held = 0
      for (; !dispatcher.isPaused; held += 3_000) dispatcher.send(Buffer.alloc(3_000))
      expect(held).toBeLessThan(70_000)
      started.abort()
      expect(ends).toEqual(['aborted'])
    })

    it('keeps the order of chunks of any size, whether its reader pauses or not', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.integer({ min: 1, max: 90_000 }), fc.boolean()), { minLength: 1, maxLength: 12 }),
          async (steps) => {
            const request = { method: 'POST', path: '/x', headers: {}, body: null, clocks: patient } as const
            const read: Buffer[] = []
            const over = Promise.withResolvers<void>()
            const onFailure = ({ kind }: UpstreamFailure) => over.reject(new Error(kind))
            const onData = (chunk: Buffer) => void read.push(Buffer.from(chunk))
            const listener = { onHead: () => undefined, onData, onEnd: over.resolve, onFailure }
            const dispatcher = new HandedOver()
            const started = startUpstreamCall(dispatcher, { ...request, pieceBytes: 5_000 }, listener)
            dispatcher.begin()
            const sent = steps.map(([bytes], index) => Buffer.alloc(bytes, index + 1))
            for (const [index, [, pauses]] of steps.entries()) {
              if (pauses) started.pause()
              dispatcher.send(sent[index] as Buffer)
              if (!pauses) await new Promise((resolve) => setImmediate(resolve))
              started.resume()
            }
            dispatcher.answerEnd()
            await over.promise
            expect(Buffer.concat(read).equals(Buffer.concat(sent))).toBe(true)
          },
        ),
        { numRuns: 50 },
      )
    })

    it('reports all that arrived before the connection broke', async () => {
      const origin = await upstreamThat((_request, response) => {
        response.write(large, () => setTimeout(() => response.destroy(), 20))
      })
      expect(await call(origin, limited)).toMatchObject({ body: large.toString('latin1'), end: 'cut' })
    })
  })

  it('does not count a pause as silence', async () => {
    const origin = await upstreamThat((_request, response) => {
      response.write('a')
      setTimeout(() => response.end('b'), 20)
    })
    let paused = false
    const heard = await call(origin, { ...patient, idleMs: 60 }, (started) => {
      if (paused) return
      paused = true
      started.pause()
      setTimeout(() => started.resume(), 200)
    })
    expect(heard).toEqual({ status: 200, body: 'ab', end: 'end' })
  })
})
