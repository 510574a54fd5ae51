const dayMs = 86_400_000

export interface ReadCase {
  readonly name: string
  /** Path and query. */
  readonly path: string
}

/** Every filter of the log, on values that are frequent, rare and absent, and filters together. */
export function readCases(now: Date): readonly ReadCase[] {
  const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
  const queries: Readonly<Record<string, string>> = {
    'no filter': '',
    'a frequent model': 'model=acme/model-0',
    'another model': 'model=acme/model-7',
    'a tag': 'tag=tag-3',
    'a rare tag': 'tag=rare',
    'an absent tag': 'tag=absent',
    'a segment': 'segment=seg-7',
    'finish reason stop': 'finish_reason=stop',
    'a rare finish reason': 'finish_reason=content_filter',
    cached: 'cache_hit=true',
    'not cached': 'cache_hit=false',
    canary: 'canary=true',
    'tool calls': 'has_tool_calls=true',
    'an alias': 'alias=alias-1',
    'a trace': 'trace_id=run-5',
    'one day': `start=${day(10)}&end=${day(9)}`,
    'a low cost': 'min_cost_usd=0.002',
    'a high cost': 'min_cost_usd=0.4025',
    'an impossible cost': 'min_cost_usd=1000',
    'a word of one exchange': 'q=order123456',
    'a word of 0.2 %': 'q=word458',
    'a word of 5 %': 'q=word7d',
    'words that do not occur': 'q=never%20written',
    'model and tag': 'model=acme/model-3&tag=tag-5',
    'model and finish reason': 'model=acme/model-3&finish_reason=length',
    'segment and model': 'segment=seg-7&model=acme/model-7',
    'tag and rare finish reason': 'tag=tag-3&finish_reason=content_filter',
    'canary and cached (none)': 'canary=true&cache_hit=true',
    'tool calls and stop (none)': 'has_tool_calls=true&finish_reason=stop',
    'alias and tool calls (none)': 'alias=alias-1&has_tool_calls=true',
    'segment, tag and day': `segment=seg-7&tag=tag-3&start=${day(20)}&end=${day(19)}`,
    'cost and tag': 'min_cost_usd=0.4025&tag=tag-3',
    'word and tag': 'q=word7d&tag=tag-3',
    'word and model': 'q=word458&model=acme/model-3',
    'a word that all have': 'q=assistant',
    'a word that all have, a rare tag': 'q=assistant&tag=rare',
    'word of 5 % and alias and tool calls (none)': 'q=word7d&alias=alias-1&has_tool_calls=true',
    'two frequent words': 'q=word7d%20word458',
    'word and day': `q=word7d&start=${day(20)}&end=${day(19)}`,
    'not cached, no canary, no tool calls': 'cache_hit=false&canary=false&has_tool_calls=false',
    'not a canary': 'canary=false',
    'tag and model, a day': `tag=tag-5&model=acme/model-3&start=${day(10)}&end=${day(9)}`,
    'tag, an hour': `tag=tag-5&start=${day(10)}&end=${day(10 - 1 / 24)}`,
    'cost and an hour': `min_cost_usd=0.1&start=${day(10)}&end=${day(10 - 1 / 24)}`,
    'cost, alias and canary': 'min_cost_usd=0.1&alias=alias-1&canary=true',
    'rare tag and rare finish reason': 'tag=rare&finish_reason=content_filter',
    'trace and tag': 'trace_id=run-6&tag=tag-3',
    'a trace of 100,000 steps': 'trace_id=long',
    'a trace of 100,000 steps, rare tag': 'trace_id=long&tag=rare',
    'a trace of 100,000 steps, word of 5 %': 'trace_id=long&q=word7d',
    'model and tag, offset 5,000': 'model=acme/model-0&tag=tag-5&offset=5000',
    'word of 5 %, offset 5,000': 'q=word7d&offset=5000',
    'tag, offset 10,000': 'tag=tag-5&offset=10000',
  }
  const lists = Object.entries(queries).map(([name, query]) => ({ name, path: `/v1/logs?content=none&${query}` }))
  return [
    ...lists.map(({ name, path }) => ({ name, path: path.replace(/&$/, '') })),
    { name: 'no filter, with content', path: '/v1/logs' },
    { name: 'model and tag, with content', path: '/v1/logs?model=acme/model-3&tag=tag-5' },
    { name: 'word, with content', path: '/v1/logs?q=word458' },
    { name: 'offset 10,000', path: '/v1/logs?content=none&offset=10000' },
    { name: 'traces', path: '/v1/traces' },
    { name: 'traces with a rare tag', path: '/v1/traces?tag=rare' },
    { name: 'traces with a model and a tag', path: '/v1/traces?model=acme/model-3&tag=tag-5' },
    { name: 'traces of a segment', path: '/v1/traces?segment=seg-7' },
    { name: 'traces of a day', path: `/v1/traces?start=${day(10)}&end=${day(9)}` },
    { name: 'traces of five steps or more', path: '/v1/traces?min_steps=5' },
    { name: 'traces of six steps or more', path: '/v1/traces?min_steps=6' },
    { name: 'one trace', path: '/v1/traces/run-5' },
    { name: 'segments', path: '/v1/logs/segments' },
    { name: 'setup status', path: '/v1/setup/status' },
  ]
}
