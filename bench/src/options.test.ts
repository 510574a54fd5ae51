import { parseBenchOptions } from './options.ts'

describe('parseBenchOptions', () => {
  it('measures everything in six rounds at 200 requests a second by default', () => {
    const steps = ['chat', 'prompt64k', 'secrets64k', 'stream', 'latency', 'ttfb', 'idle']
    const targets = ['direct', 'nginx', 'one-hop', 'two-hops', 'portkey', 'litellm', 'fleet']
    expect(parseBenchOptions([])).toEqual({ quick: false, force: false, rounds: 6, rate: 200, steps, targets })
  })

  it('leaves the target that is slow to start out of a quick run, unless it is named', () => {
    expect(parseBenchOptions(['--quick']).targets).toEqual([
      'direct',
      'nginx',
      'one-hop',
      'two-hops',
      'portkey',
      'fleet',
    ])
    expect(parseBenchOptions(['--quick', '--targets', 'litellm']).targets).toEqual(['litellm'])
  })

  it('accepts every option', () => {
    const measured = ['--only', 'stream,chat', '--targets', 'fleet,nginx', '--profile', 'profiles']
    const args = ['--quick', '--force', '--rounds', '5', '--rate', '50', '--json', 'out.json', ...measured]
    const expected = { quick: true, force: true, rounds: 5, rate: 50, json: 'out.json', profile: 'profiles' }
    const [steps, targets] = [
      ['chat', 'stream'],
      ['nginx', 'fleet'],
    ]
    expect(parseBenchOptions(args)).toEqual({ ...expected, steps, targets })
  })

  it.each([
    [['--rounds', '0']],
    [['--rate', '1.5']],
    [['--only', 'chat,tea']],
    [['--targets', 'moon']],
    [['--fast']],
    [['chat']],
  ])('refuses %j and shows the usage', (args) => {
    expect(() => parseBenchOptions(args)).toThrow('npm run bench')
  })
})
