import type { EvalAnswer, EvalSample } from '@ratchet/contracts/evals'
import type { ReactNode } from 'react'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { ScrolledConversation } from '../../../kit/conversation/conversation.tsx'
import { ModelText } from '../../../kit/conversation/model-text.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { WordDiff } from '../../../kit/text/lazy.tsx'
import styles from '../evals.module.css'

export type Comparison = 'beside' | 'raw' | 'words'

export const comparisons: readonly { readonly value: Comparison; readonly label: string }[] = [
  { value: 'beside', label: 'Formatted' },
  { value: 'raw', label: 'As text' },
  { value: 'words', label: 'Differences' },
]

export function Prompt({ sample }: { readonly sample: EvalSample }): ReactNode {
  const { prompt, reference } = sample
  return (
    <Card title="Prompt">
      {prompt === null ? (
        <p className="dimmed">The prompt was deleted, because its log entry was.</p>
      ) : (
        <ScrolledConversation messages={prompt.messages} label="Prompt" />
      )}
      {reference !== null && (
        <details>
          <summary>The stored answer</summary>
          <ModelText text={reference} isPlain />
        </details>
      )}
    </Card>
  )
}

interface AnswerSide {
  readonly title: string
  readonly answer: EvalAnswer | null
  /** Whether cost and latency, which tell the models apart, are shown. */
  readonly isNamed: boolean
}

interface AnswersProps {
  readonly left: AnswerSide
  readonly right: AnswerSide
  readonly comparison: Comparison
}

export function Answers({ left, right, comparison }: AnswersProps): ReactNode {
  if (comparison === 'words') {
    return (
      <Card title={`From ${left.title} to ${right.title}`}>
        <WordDiff before={left.answer?.text ?? ''} after={right.answer?.text ?? ''} />
      </Card>
    )
  }
  return (
    <div className={styles.pair}>
      <AnswerCard side={left} isRaw={comparison === 'raw'} />
      <AnswerCard side={right} isRaw={comparison === 'raw'} />
    </div>
  )
}

interface AnswerCardProps {
  readonly side: AnswerSide
  readonly isRaw: boolean
}

function AnswerCard({ side: { title, answer, isNamed }, isRaw }: AnswerCardProps): ReactNode {
  const text = answer?.text ?? null
  return (
    <div className={styles.answer}>
      <Card title={title}>
        {isNamed && answer && <p className="dimmed">{factsOf(answer)}</p>}
        {text !== null && <ModelText text={text} isPlain={isRaw} />}
        {answer?.tool_calls && (
          <CodeBlock code={JSON.stringify(answer.tool_calls, null, 2)} label={`Calls of tools: ${title}`} />
        )}
        {text === null && !answer?.tool_calls && (
          <p className="dimmed">{answer?.error ?? 'There is no answer, or it was deleted.'}</p>
        )}
      </Card>
    </div>
  )
}

function factsOf({ cost_usd: usd, latency_ms: ms }: EvalAnswer): string {
  const cost = usd === null ? 'cost not known' : moneyText(microOfUsd(usd))
  return ms === null ? cost : `${cost}, ${count(Math.round(ms))} ms`
}
