import { cleanTarget } from './clean-target.ts'
import { ownTarget } from './own-target.ts'

const own = (target: string) => {
  const { target: found, model } = ownTarget(cleanTarget(target))
  return [found.url, model]
}

it.each([
  ['/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21', '/v1/chat/completions', 'gpt-5'],
  ['/openai/deployments/gpt-5/embeddings?api-version=2024-10-21', '/v1/embeddings', 'gpt-5'],
  ['/openai/deployments/openai%2Fgpt-5/chat/completions', '/v1/chat/completions', 'openai/gpt-5'],
  ['/openai/deployments/openai/gpt-5/chat/completions', '/v1/chat/completions', 'openai/gpt-5'],
  ['/openai/deployments/my%20model/chat/completions', null, null],
  ['/openai/deployments/%FF/chat/completions', null, null],
  ['/openai/v1/chat/completions', '/v1/chat/completions', null],
  ['/openai/v1/responses?api-version=preview', '/v1/responses', null],
  ['/openai/responses?api-version=2025-04-01-preview', '/v1/responses', null],
  ['/openai/files?api-version=2024-10-21&limit=5', '/v1/files?limit=5', null],
  ['/v1/models?api-version=1', '/v1/models?api-version=1', null],
])('%s is %s with the model %s', (target, url, model) => {
  if (url === null) expect(() => own(target)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  else expect(own(target)).toEqual([url, model])
})

it.each(['/openai/deployments/a%2F..%2Fb/chat/completions', '/openai/deployments/a%5Cb/embeddings'])(
  'refuses an ambiguous name in %s',
  (target) => {
    expect(() => own(target)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  },
)
