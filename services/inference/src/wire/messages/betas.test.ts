import { readBetas } from './betas.ts'

it('reads the features that a header lists', () => {
  expect(readBetas(' interleaved-thinking-2025-05-14,,claude-code-20250219 ')).toEqual([
    'interleaved-thinking-2025-05-14',
    'claude-code-20250219',
  ])
  expect(readBetas(undefined)).toEqual([])
})

it.each(['context-1m-2025-08-07', 'files-api-2025-04-14', 'fast-mode-2026-02-01', 'message-threads-2026-08-12', 'x'])(
  'refuses %s, whatever it comes with',
  (name) => {
    expect(() => readBetas(`pdfs-2024-09-25, ${name}`)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'anthropic-beta' }),
    )
  },
)
