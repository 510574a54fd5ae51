import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { DownloadLink } from '../../../kit/download-link.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../training.module.css'
import { isoOfSeconds, methodText } from '../words.ts'

/** What is trained, on what, and with which settings. */
export function JobFacts({ job }: { readonly job: FineTuningJob }): ReactNode {
  const { method, training, metadata } = job
  const settings = method[method.type]?.hyperparameters ?? null
  return (
    <Card title="How it is trained">
      <Facts
        facts={[
          ['Model', job.model],
          ['Method', `${methodText(method.type)}, ${training === 'lora' ? 'LoRA' : 'all weights'}`],
          ['Data', <Source key="data" dataset={job.dataset_id} file={job.training_file} />],
          ['Validation', <Source key="eval" dataset={job.eval_dataset_id} file={job.validation_file} />],
          ...(settings === null
            ? [['Settings', 'chosen when the data was read'] as const]
            : [
                ['Epochs', count(settings.n_epochs)] as const,
                ['Batch', `${count(settings.batch_size)} examples a step`] as const,
                ['Learning rate', String(settings.learning_rate)] as const,
                ...(settings.lora_rank === null
                  ? []
                  : [['LoRA', `rank ${settings.lora_rank}, alpha ${settings.lora_alpha}`] as const]),
                ...(settings.beta === null ? [] : [['Beta', String(settings.beta)] as const]),
                ['Longest example', `${count(settings.max_sequence_length)} tokens`] as const,
              ]),
          ['Trainer', job.trainer],
          ['Seed', String(job.seed)],
          ...Object.entries(metadata ?? {}).map(([name, value]) => [name, value] as const),
          ['Created', <TimeText key="at" at={isoOfSeconds(job.created_at)} />],
          ['Ended', <TimeText key="end" at={isoOfSeconds(job.finished_at)} empty="not yet" />],
        ]}
      />
      {job.result_files.map((id) => (
        <div key={id} className={styles.choices}>
          <DownloadLink
            path={`/v1/files/${id}/content`}
            file="step_metrics.csv"
            detail="The figures of each step, as CSV"
          >
            Download the figures
          </DownloadLink>
        </div>
      ))}
    </Card>
  )
}

function Source({ dataset, file }: { readonly dataset: string | null; readonly file: string | null }): ReactNode {
  const slug = useWorkspaceSlug()
  if (dataset === null) return file ?? 'a part of the data'
  return (
    <Link to="/w/$slug/datasets/$id" params={{ slug, id: dataset }}>
      {dataset}
    </Link>
  )
}
