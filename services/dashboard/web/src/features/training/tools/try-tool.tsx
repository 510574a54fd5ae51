import { Button, Textarea } from '@mantine/core'
import { type EnvironmentTool, type ToolTest, testEnvironmentTool } from '@ratchet/contracts/environment-tools'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../training.module.css'
import { argumentsOf, exampleArguments, testText } from './tool-words.ts'

/** Calls the tool once, as a run would. */
export function TryTool({ tool }: { readonly tool: EnvironmentTool }): ReactNode {
  const [text, setText] = useState(() => exampleArguments(tool))
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const test = useAct(testEnvironmentTool)
  const read = argumentsOf(text)
  const problem = 'problem' in read ? read.problem : null
  const call = () => 'value' in read && test.mutate({ params: { id: tool.id }, body: { arguments: read.value } })
  return (
    <Card title="Try it">
      <div className={styles.parts}>
        <Textarea
          label="Arguments"
          description={
            tool.side_effects
              ? 'The tool says that it has side effects: this is a real call.'
              : 'JSON, as a model would write it.'
          }
          autosize
          minRows={3}
          maxRows={12}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
        />
        <div>
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button disabled={disabled || problem !== null} loading={test.isPending} onClick={call}>
                Call the tool
              </Button>
            )}
          </NotPermitted>
        </div>
        <div aria-live="polite">
          {test.error !== null && <ErrorState error={test.error} />}
          {test.data !== undefined && <Outcome outcome={test.data} />}
        </div>
      </div>
    </Card>
  )
}

function Outcome({ outcome }: { readonly outcome: ToolTest }): ReactNode {
  return (
    <>
      <StateLabel state={outcome.ok ? 'proven' : 'wrong'}>{testText(outcome)}</StateLabel>
      <CodeBlock label="What the model sees" code={outcome.result === '' ? '(empty)' : outcome.result} />
    </>
  )
}
