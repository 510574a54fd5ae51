import { createSocket } from 'node:dgram'
import { parentPort } from 'node:worker_threads'

/* The far ends of legs: it sends back each packet, and notes how late it came. */

const frameMs = 20
const socket = createSocket({ type: 'udp4', recvBufferSize: 4_194_304 })
const arrivals: { readonly leg: number; readonly atMs: number }[] = []

socket.on('message', (bytes, { port, address }) => {
  arrivals.push({ leg: port, atMs: performance.now() })
  socket.send(bytes, port, address)
})
socket.bind(0, '127.0.0.1', () => parentPort?.postMessage(socket.address().port))

parentPort?.on('message', () => {
  // Sender and receiver have no common clock, so each packet is compared with the one before it.
  const before = new Map<number, number>()
  const lateMs = arrivals.flatMap(({ leg, atMs }) => {
    const lastMs = before.get(leg)
    before.set(leg, atMs)
    return lastMs === undefined ? [] : [Math.max(0, atMs - lastMs - frameMs)]
  })
  parentPort?.postMessage({ received: arrivals.length, lateMs })
  socket.close()
})
