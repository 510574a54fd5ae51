import { withinMs } from './within-ms.ts'

const late = () => new Error('late')

it('passes on what comes in time, also a failure', async () => {
  await expect(withinMs(1_000, Promise.resolve(1), late)).resolves.toBe(1)
  await expect(withinMs(1_000, Promise.reject(new Error('no')), late)).rejects.toThrow('no')
})

it('rejects when it takes longer', async () => {
  await expect(withinMs(5, new Promise(() => undefined), late)).rejects.toThrow('late')
})
