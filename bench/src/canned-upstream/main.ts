/*
 * A provider that needs little CPU: it answers every POST with the same completion, streamed when the body contains
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

/** Sends the first event with the head and the others one by one, so that proxies must write each one separately. */
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
