import type { labelAgreement } from '@ratchet/contracts/labels'
import { publicId } from '@ratchet/contracts/public-id'
import type { z } from 'zod'
import type { Agreement } from './agreement.ts'
import type { CountedGrade } from './label-store.ts'

/** How far graders agree, as the API shows it. */
export function agreementReply(criterionId: string, agreement: Agreement): z.input<typeof labelAgreement.reply> {
  return {
    object: 'label.agreement',
    criterion_id: publicId('criterion', criterionId),
    pairs_n: agreement.pairs,
    raw_agreement: agreement.rawAgreement,
    cohen_kappa: agreement.cohenKappa,
    fleiss_kappa: agreement.fleissKappa,
    per_grader: agreement.graders.map(({ graderId, grades, withMajority }) => ({
      grader_id: graderId,
      grades,
      agreement_with_majority: withMajority,
    })),
    disagreements: agreement.disagreements.map(itemId),
  }
}

function itemId({ id, logId }: CountedGrade): string {
  return logId === null ? publicId('label', id) : publicId('log', logId)
}
