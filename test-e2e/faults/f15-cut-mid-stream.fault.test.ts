import { describeFault, type Fault } from './describe-fault.ts'
import { settledCharge } from './settled-charge.ts'

const model = 'sim/echo'
const content = 'Where do the swallows of the old barn go in winter?'
const faults = { cut: 40, stall: 10 }

describeFault(
  {
    id: 'F15',
    title: 'a provider disconnects, or stops sending, at any byte of its stream',
    promise: 'no retry after the first byte; one error frame, no [DONE], a broken connection; no charge',
    fleet: { env: { UPSTREAM_IDLE_TIMEOUT_MS: '500' } },
  },
  (fault) => {
    it.each(['cut', 'stall'] as const)(
      'sends an error frame at any position of the fault: %s',
      async (how) => {
        const { bytes, firstFrame, end } = await wholeStream(fault)
        const offsets = Array.from({ length: faults[how] }, () => Math.floor(fault.random() * end))
        // The likeliest positions of bugs: no byte, a complete first frame, one byte less and more, all except the end.
        offsets.push(0, 1, firstFrame - 1, firstFrame, firstFrame + 1, end - 1)
        for (const offset of offsets) await expectBrokenOff(how, { offset, hasBegun: offset >= firstFrame })
        fault.note(`${how} at bytes of ${bytes}`, offsets.length)
      },
      60_000,
    )

    async function expectBrokenOff(how: keyof typeof faults, at: { offset: number; hasBegun: boolean }): Promise<void> {
      await fault.fleet.provider.reset()
      await fault.fleet.provider.script({ model, behaviour: `${how}-${at.offset}`, count: 1 })
      const answer = await fault.ask({ model, stream: true, content })
      const seen = { ...at, ...answer, headers: null }
      if (at.hasBegun) {
        expect(seen).toMatchObject({ status: 200, whole: false, failure: expect.any(String) })
        const frames = answer.text.trimEnd().split('\n\n')
        expect(frames.filter((frame) => frame.startsWith('data: {"error":'))).toHaveLength(1)
        expect(frames.at(-1)).toMatch(/^data: \{"error":\{.*"type":"(upstream_error|api_error)"/)
        expect(frames.slice(0, -1).every(isWholeChunk)).toBe(true)
      } else {
        expect(seen).toMatchObject({ status: how === 'cut' ? 502 : 408 })
      }
      expect(answer.text).not.toContain('[DONE]')
      expect((await fault.fleet.provider.report({ model })).requests).toHaveLength(1)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
    }
  },
)

/** Lengths of the stream: in total, to the end of its first frame, and to its finish reason. */
async function wholeStream(fault: Fault) {
  const response = await fetch(`${fault.fleet.provider.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content }],
    }),
  })
  const text = await response.text()
  await fault.fleet.provider.reset()
  return { bytes: text.length, firstFrame: text.indexOf('\n\n') + 2, end: text.indexOf('data: [DONE]') + 12 }
}

function isWholeChunk(frame: string): boolean {
  return JSON.parse(frame.replace('data: ', '')).object === 'chat.completion.chunk'
}
