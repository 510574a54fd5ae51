import { startLater } from './start-later.ts'

function setUp() {
  const said: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const call = startLater({
    ready: promise,
    start(value) {
      said.push(`start ${value}`)
      return { abort: () => said.push('abort'), pause: () => said.push('pause'), resume: () => said.push('resume') }
    },
    notStarted: (why) => said.push(why),
  })
  return { call, said, resolve, reject, settled: () => promise.catch(() => {}).then(() => {}) }
}

describe('startLater', () => {
  it('starts when it is ready, and passes on the calls of its control', async () => {
    const { call, said, resolve, settled } = setUp()
    expect(said).toEqual([])
    resolve('now')
    await settled()
    call.pause()
    call.resume()
    call.abort()
    expect(said).toEqual(['start now', 'pause', 'resume', 'abort'])
  })

  it('never starts when it was aborted before', async () => {
    const { call, said, resolve, settled } = setUp()
    call.abort()
    call.abort()
    resolve('now')
    await settled()
    expect(said).toEqual(['aborted'])
  })

  it('starts paused when it was paused before', async () => {
    const { call, said, resolve, settled } = setUp()
    call.pause()
    resolve('now')
    await settled()
    expect(said).toEqual(['start now', 'pause'])
  })

  it('reports that it could not start', async () => {
    const { said, reject, settled } = setUp()
    reject(new Error('no key'))
    await settled()
    await Promise.resolve()
    expect(said).toEqual(['failed'])
  })
})
