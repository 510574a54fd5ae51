/* Notifies the thread that started it at each moment of a list, with the index of the moment. */
import { parentPort, workerData } from 'node:worker_threads'

const { startTime, dueMs } = workerData as { startTime: number; dueMs: number[] }
const neverChanges = new Int32Array(new SharedArrayBuffer(4))
const startAt = startTime - performance.timeOrigin

dueMs.forEach((due, index) => {
  const waitMs = startAt + due - performance.now()
  if (waitMs > 0) Atomics.wait(neverChanges, 0, 0, waitMs)
  parentPort?.postMessage(index)
})
