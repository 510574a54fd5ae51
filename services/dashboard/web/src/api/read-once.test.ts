import { eventually } from '@ratchet/testing/eventually'
import { focusManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { readOnce } from './read-once.ts'

/** A query whose replies are old at once; every read replies its number. */
function query(options: object) {
  let reads = 0
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 0 } } })
  client.mount()
  const queryFn = async () => {
    reads += 1
    return reads
  }
  /** Shows it until it has replied, and the window has got the focus again. */
  const show = async () => {
    const observer = new QueryObserver(client, { queryKey: ['draw'], queryFn, ...options })
    const hide = observer.subscribe(() => {})
    await eventually(() => observer.getCurrentResult().isSuccess)
    focusManager.setFocused(false)
    focusManager.setFocused(true)
    await eventually(() => client.isFetching() === 0)
    const { data } = observer.getCurrentResult()
    hide()
    await eventually(() => client.getQueryCache().getAll().length === 0 || options !== readOnce)
    return data
  }
  return { show, end: () => client.unmount() }
}

afterEach(() => focusManager.setFocused(undefined))

it('is not read again when the window gets the focus, and forgotten when it is no longer shown', async () => {
  const drawn = query(readOnce)
  expect([await drawn.show(), await drawn.show()]).toEqual([1, 2])
  drawn.end()
})

it('is what a query without these options is not', async () => {
  const other = query({})
  expect(await other.show()).toBe(2)
  other.end()
})
