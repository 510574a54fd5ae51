import { Button } from '@mantine/core'
import { getLog } from '@ratchet/contracts/logs'
import type { ReactNode } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Icon } from '../../kit/icon.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { toast } from '../../kit/toast.tsx'
import { evalSample } from './eval-sample.ts'

/** Copies the conversation of the run's last model call with its answer, as a line of a dataset for evals. */
export function CopySample({ lastCallId }: { readonly lastCallId: string | undefined }): ReactNode {
  const read = useAct(getLog, {
    onDone: (entry) => {
      if (navigator.clipboard === undefined) return toast('The browser copies only on pages over https.')
      const done = () => toast('Copied as a line of JSONL. Add it to a file and make a dataset of that.')
      navigator.clipboard.writeText(evalSample(entry)).then(done, () => toast('The browser did not allow to copy.'))
    },
  })
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="copy" size={14} />}
        disabled={lastCallId === undefined}
        loading={read.isPending}
        title="The conversation of the last model call with its answer, as a line of a dataset"
        onClick={() => lastCallId !== undefined && read.mutate({ params: { id: lastCallId } })}
      >
        Copy as eval sample
      </Button>
      {read.error && <ErrorState error={read.error} />}
    </>
  )
}
