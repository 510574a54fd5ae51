import { eventually } from './eventually.ts'

it('returns what the probe returned once it holds', async () => {
  const answers = [null, false, 'row'] as const
  let looks = 0

  await expect(eventually(() => answers[looks++], { everyMs: 1 })).resolves.toBe('row')
  expect(looks).toBe(3)
})

it('treats an assertion that does not throw as holding', async () => {
  let looks = 0

  await eventually(() => expect(++looks).toBeGreaterThan(2), { everyMs: 1 })

  expect(looks).toBe(3)
})

it('treats 0 and the empty text as results', async () => {
  await expect(eventually(() => 0)).resolves.toBe(0)
  await expect(eventually(() => '')).resolves.toBe('')
})

it('fails at the deadline with the last failure in its message and as its cause', async () => {
  const failure = new Error('still 3 left')
  const probe = () => {
    throw failure
  }

  await expect(eventually(probe, { withinMs: 20, everyMs: 5 })).rejects.toMatchObject({
    message: 'did not hold within 20 ms; last: still 3 left',
    cause: failure,
  })
})

it('fails when the probe hangs', async () => {
  const hangs = () => new Promise<void>(() => undefined)

  await expect(eventually(hangs, { withinMs: 20 })).rejects.toThrow('last: the first check did not end')
})
