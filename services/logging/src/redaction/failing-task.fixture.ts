import { type RedactionTask, redactBatch as redactAll } from './redaction-task.ts'

/** The task of the thread, which hangs at a text with `hang` and dies at a text with `die`. */
export function redactBatch(task: RedactionTask): ReturnType<typeof redactAll> {
  return task.items.flatMap((item, index) => {
    Atomics.store(task.at, 0, index)
    const text = String(item)
    if (text.includes('die')) process.exit(1)
    while (text.includes('hang')) Atomics.load(task.at, 0)
    return redactAll({ ...task, items: [item], at: new Int32Array(new SharedArrayBuffer(4)) })
  })
}
