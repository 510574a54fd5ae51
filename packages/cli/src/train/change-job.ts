import { cancelFineTuningJob, pauseFineTuningJob, resumeFineTuningJob } from '@ratchet/contracts/fine-tuning'
import type { ApiCommands } from '../api/api-commands.ts'
import { parseJobId } from './job-id.ts'

const changes = [
  {
    name: 'cancel',
    description: 'Cancel a job. Checkpoints so far are charged and stay usable.',
    endpoint: cancelFineTuningJob,
  },
  {
    name: 'pause',
    description: 'Pause a job: it saves a checkpoint, which is charged, and holds no more money.',
    endpoint: pauseFineTuningJob,
  },
  {
    name: 'resume',
    description: 'Resume a paused job at its last checkpoint.',
    endpoint: resumeFineTuningJob,
  },
] as const

/** `train cancel`, `train pause` and `train resume`: each prints the status after it. */
export function changeCommands({ group, run }: ApiCommands): void {
  for (const { name, description, endpoint } of changes) {
    group
      .command(name)
      .description(description)
      .argument('<id>', 'the job', parseJobId)
      .action((id: string) =>
        run(async ({ connect }) => {
          const api = await connect()
          const { value, json } = await api.call(endpoint, { params: { id } })
          return { json, text: `${value.id}: ${value.status}` }
        }),
      )
  }
}
