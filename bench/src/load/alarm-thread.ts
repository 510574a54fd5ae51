/* Tells the thread that started it the index of each moment when it has come. */
import { parentPort, workerData } from 'node:worker_threads'

const { startTime, dueMs } = workerData as { startTime: number; dueMs: number[] }
const neverChanges = new Int32Array(new SharedArrayBuffer(4))
const startAt = startTime - performance.timeOrigin

dueMs.forEach((due, index) => {
  const waitMs = startAt + due - performance.now()
  if (waitMs > 0) Atomics.wait(neverChanges, 0, 0, waitMs)
  parentPort?.postMessage(index)
})
