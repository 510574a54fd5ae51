import type { FrameConnection } from './frame-connection.ts'
import { type Frame, frameTypes } from './frame-format.ts'
import type { FramedResponse } from './framed-response.ts'
import { encodeHead } from './head-block.ts'
import { ServedStreams } from './served-streams.ts'

const nothing = Buffer.alloc(0)

function open() {
  const responses: FramedResponse[] = []
  let deliver: (frame: Frame) => void = () => undefined
  const connect = (onFrame: (frame: Frame) => void) => {
    deliver = onFrame
    return { send() {}, sendData() {} } as unknown as FrameConnection
  }
  const streams = new ServedStreams(connect, (_request, response) => responses.push(response))
  for (const stream of [1, 2]) {
    const head = encodeHead(['POST', '/v1/chat/completions', 'host', 'a']) ?? nothing
    deliver({ type: frameTypes.request, stream, payload: head })
  }
  return { streams, responses, deliver: (frame: Frame) => deliver(frame) }
}

it('says whether a client disconnected or the connection to the edge was lost', () => {
  const { streams, responses, deliver } = open()
  deliver({ type: frameTypes.reset, stream: 1, payload: nothing })
  streams.close()
  expect(responses.map(({ destroyed, isPeerLost }) => [destroyed, isPeerLost])).toEqual([
    [true, false],
    [true, true],
  ])
})
