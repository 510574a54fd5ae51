import { createEndUserNames, type SeenEndUser } from './name-end-users.ts'

const ann = { id: 'a', name: 'ann' }
const bob = { id: 'b', name: 'bob' }

it('stores each end user once, and again after a failure', async () => {
  const stored: SeenEndUser[][] = []
  const state = { fails: true }
  const names = createEndUserNames(async (users) => {
    if (state.fails) throw new Error('down')
    stored.push([...users])
  })
  await names.flush()
  names.seen('w', ann)
  names.seen('w', ann)
  await expect(names.flush()).rejects.toThrow('down')
  state.fails = false
  await names.flush()
  names.seen('w', ann)
  names.seen('w', bob)
  await names.flush()
  expect(stored).toEqual([[{ ...ann, workspaceId: 'w' }], [{ ...bob, workspaceId: 'w' }]])
})

it('has a limited number of names in memory', async () => {
  const stored: string[] = []
  const store = async (users: readonly SeenEndUser[]) => void stored.push(...users.map(({ id }) => id))
  const names = createEndUserNames(store, { maxKnown: 1, maxWaiting: 10 })
  for (const id of ['a', 'b', 'c']) names.seen('w', { id, name: id })
  await names.flush()
  names.seen('w', ann)
  await names.flush()
  expect(stored).toEqual(['a', 'b', 'a'])
})

it('has room for the names of others when a workspace sends ever new ones', async () => {
  const stored: string[] = []
  const names = createEndUserNames(async (users) => void stored.push(...users.map(({ id }) => id)), { maxWaiting: 10 })
  for (let user = 0; user < 100; user += 1) names.seen('flood', { id: `f${user}`, name: 'x' })
  names.seen('w', ann)
  await names.flush()
  expect(stored).toEqual(['f0', 'f1', 'a'])
  names.seen('flood', { id: 'f9', name: 'x' })
  await names.flush()
  expect(stored).toContain('f9')
})
