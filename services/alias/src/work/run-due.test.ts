import { runDue } from './run-due.ts'

it('does all that is due, a few pieces at a time', async () => {
  const done: string[] = []
  let underWay = 0
  let most = 0
  await runDue({
    due: async (limit) => Array.from({ length: Math.min(limit, 20) }, (_, index) => `w${index}`),
    concurrency: 3,
    async run(id) {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      done.push(id)
    },
  })
  expect(done).toHaveLength(20)
  expect(new Set(done).size).toBe(20)
  expect(most).toBe(3)
})

it('is done at once when nothing is', async () => {
  await runDue({ due: async () => [], concurrency: 3, run: () => Promise.reject(new Error('there is nothing to do')) })
})
