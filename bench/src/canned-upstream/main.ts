/*
 * A provider that costs next to nothing: it answers every POST with the same completion, streamed when the body says
 * `"stream":true`. Usage: node main.ts <port> <milliseconds between streamed events>
 */
import { createServer, type Socket } from 'node:net'
import { eventsPerStream, plainAnswer, streamEvent, streamHead, streamTail } from './answers.ts'
import { createRequestReader } from './read-requests.ts'

const [port, paceMs] = process.argv.slice(2).map(Number)
// A quote inside a prompt is escaped, so this can only be the parameter.
const streamParameter = /"stream": ?true/

createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  socket.on(
    'data',
    createRequestReader((body) => {
      if (streamParameter.test(body.toString('latin1'))) stream(socket)
      else socket.write(plainAnswer)
    }),
  )
}).listen(port, '127.0.0.1')

/** The first event goes with the head, the others one by one: each must cost its own write on the way. */
function stream(socket: Socket): void {
  let sent = 1
  socket.write(Buffer.concat([streamHead, streamEvent]))
  const next = () => {
    if (socket.destroyed) return
    sent += 1
    socket.write(sent > eventsPerStream ? streamTail : streamEvent)
    if (sent <= eventsPerStream) setTimeout(next, paceMs)
  }
  setTimeout(next, paceMs)
}
