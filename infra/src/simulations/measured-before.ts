/** What an examination of an earlier release measured, and the world that measures the same now. */
export interface MeasuredBefore {
  /** Number and name; empty for further rows of the same defect. */
  readonly defect: string
  readonly measured: string
  readonly before: string
  readonly procedure: string
  readonly world: string
}

type Row = readonly [measured: string, before: string, world: string]

/** Defects 12 to 14 are about a port that was taken at the start, the words of a warning and a comment: they have no rate. */
const trusted = 'trust at one calibration after 400 grades'
const mayAct = 'the right to act, at a calibration after every ten of 400 grades'
const balanced = 'as many grades of both verdicts, 400 of 5,000 answers, 10 % fails'
const longer = 'the right to act, at a calibration after every ten of 1,000 grades'
const evidence = 'the evidence of evals accepts a candidate that is not better'
const fooled = 'promotes a canary whose style fools the judge'
const stable = 'A stable judge is flagged in a year of daily sweeps'
const drop = 'A drop of the traffic is flagged in time (1 000 requests a day, on day 8)'
const blind = 'A drop is flagged although people graded fails on purpose'
const changed = 'A judge that changed is flagged by its panel'
const scan = 'the 95 % interval of a scan misses the true pass rate'

export const measuredBefore: readonly MeasuredBefore[] = [
  ...rowsOf('1. A worthless judge is evidence', evidence, [
    [
      'proof that a model which loses 73 % is as good; the judge names the first answer in 90 %',
      '96 %',
      'wins 27.3 %, judge prefers the first in 90 %, bound 0.45',
    ],
    ['in 100 %', '100 %', 'wins 27.3 %, judge prefers the first in 100 %, bound 0.45'],
  ]),
  ...rowsOf('2. Trust from balanced grades', trusted, [
    ['trusted after 400 grades, TPR 0.90', '18.1 ± 0.6 %', 'balanced: TPR 0.9, 12 % fails'],
    ['TPR 0.88', '11.2 ± 0.5 %', 'balanced: TPR 0.88, 12 % fails'],
  ]),
  ...rowsOf('', balanced, [
    ['400 of 5 000, 10 % fails: trusted, TPR 0.90', '18.1 ± 0.6 %', 'trusts a judge of TPR 0.9'],
    ['TPR 0.88', '11.2 ± 0.5 %', 'trusts a judge of TPR 0.88'],
    ['TPR 0.85', '3.7 ± 0.3 %', 'trusts a judge of TPR 0.85'],
    ['TPR 0.80', '0.23 ± 0.07 %', 'trusts a judge of TPR 0.8'],
    ['the 95 % interval holds 0.90', '65.0 ± 0.8 %', 'has an interval that holds TPR 0.9'],
    ['holds 0.88', '67.6 %', 'has an interval that holds TPR 0.88'],
    ['holds 0.85', '75.9 %', 'has an interval that holds TPR 0.85'],
    ['holds 0.80', '73.6 %', 'has an interval that holds TPR 0.8'],
  ]),
  ...rowsOf('3. Drift is blind', blind, [
    ['40 points, half of the grades are fails', '0 of 3 000', '40 points in 3 days, half of the grades are fails'],
    ['20 points, half of the grades are fails', '0 of 3 000', '20 points in 7 days, half of the grades are fails'],
    ['20 points, 30 % of the grades are fails', '0 of 3 000', '20 points in 7 days, 30 % of the grades are fails'],
    [
      '5 points, half of the grades are fails',
      '0 of 3 000',
      '5 points in 14 days, half of the grades are fails, all judged',
    ],
  ]),
  ...rowsOf('', changed, [
    ['the judge loses TPR, 0.93 to 0.6', '1.0 %', 'TPR 0.93 becomes 0.6, 200 grades, in 14 days'],
    [
      'TPR falls to 0.45 while 8 points more fail',
      '1.6 %',
      'TPR becomes 0.45 while 8 points more fail, 200 grades, in 14 days',
    ],
  ]),
  ...rowsOf('', drop, [
    [
      '5 points, 10 % judged (before: 200 grades, 23 days; now: 500 grades, 14 days)',
      '38.9 ± 0.9 %',
      '5 points in 14 days, 10 % judged',
    ],
    ['10 points, 10 % judged (before: 23 days; now: 7 days)', '90 %', '10 points in 7 days, 10 % judged'],
    [
      '5 points, all judged (before: 1 000 grades, 23 days; now: 500 grades, 14 days)',
      '97 %',
      '5 points in 14 days, all judged, no verdicts before the calibration',
    ],
  ]),
  ...rowsOf('4. A canary whose style fools the judge', fooled, [
    [
      'promoted: 18 % bad against 10 %, half of its fails found, 20 grades per arm',
      '96.0 ± 1.1 %',
      'the same with 20 grades',
    ],
    ['25 % against 10 %, TPR 0.3 (before 20 grades per arm, now 300)', '70.7 ± 2.6 %', '25 % against 10 %, TPR 0.3'],
    [
      '10:90, 20 % against 10 %, TPR 0.4 (before 20 grades per arm, now 300)',
      '90.3 ± 1.7 %',
      '10:90, 20 % against 10 %, TPR 0.4',
    ],
  ]),
  ...rowsOf('', 'promotes a canary that is worse by exactly the threshold', [
    ['promoted: worse by exactly the threshold, 50:50', '0.67 %', '50:50'],
    ['10:90', '0.67 %', '10:90'],
    [
      'the judge lost TPR since its calibration, 6 points worse',
      '3.0 ± 1.0 %',
      'the judge lost TPR on both arms, 6 points worse',
    ],
  ]),
  ...rowsOf('', 'acts falsely on a canary with a small share', [
    [
      'worse by exactly the threshold, 5:95',
      '1.33 ± 0.66 %',
      '5:95: promotes one that is worse by exactly the threshold',
    ],
  ]),
  ...rowsOf('', 'rolls back an equal canary', [
    ['rolled back although equal, 50:50', '0 of 3 000', '50:50, no grades'],
    ['with a threshold of 0.001', '0.67 ± 0.47 %', '2 % fails, threshold 0.001, 300 grades'],
  ]),
  ...rowsOf('', 'says that the sizes of the arms do not match the split', [
    ['said to be split wrongly although it is not, 50:50', '0 to 1.0 ± 0.6 %', '50:50, as it is'],
    ['1:99', '0 to 1.0 ± 0.6 %', '1:99, as it is'],
  ]),
  ...rowsOf('5. Held-out sets leak', 'a split of a log with retrieval, changed instructions and near duplicates', [
    [
      'before: held-out examples with their family in training; now: splits in which that are more than 1 %',
      '42.6 %; retrieval 96 %, changed instructions 87 %, near twins 81 %',
      'more than 1 % of the held out examples have a relative in training',
    ],
    [
      'before: the very same question in training; now: splits with more than 1 % of questions that are alike',
      '27 %',
      'more than 1 % of the held out examples have a prompt of training that is alike, by an exact search',
    ],
  ]),
  ...rowsOf('6. Drift is checked daily at a weekly level', stable, [
    ['stable judges that are flagged in a year', '32.3 ± 1.2 %', '100 verdicts a day, 10 % fails'],
    ['2 % fails', '24 to 37 %', '2 % fails'],
    ['30 % fails', '24 to 37 %', '30 % fails'],
    ['20 verdicts a day', '24 to 37 %', '20 verdicts a day'],
    ['1 000 verdicts a day', '20 %', '1 000 verdicts a day'],
  ]),
  ...rowsOf('7. Trust after many calibrations', mayAct, [
    ['before: ever trusted; now: ever may act; 400 grades, TPR 0.90', '6.31 ± 0.17 %', 'random: TPR 0.9, 30 % fails'],
    ['TPR 0.88', '2.04 ± 0.10 %', 'random: TPR 0.88, 30 % fails'],
  ]),
  ...rowsOf('', longer, [
    ['up to 1 000 grades, TPR 0.90', '10.57 ± 0.22 %', 'TPR 0.9, 30 % fails'],
    ['half of them fails, TPR 0.90', '11.88 ± 0.23 %', 'TPR 0.9, 50 % fails'],
    ['TPR 0.88', '2.61 ± 0.11 %', 'TPR 0.88, 30 % fails'],
    ['half of them fails, TPR 0.88', '2.39 ± 0.11 %', 'TPR 0.88, 50 % fails'],
    ['TPR 0.85', '0.46 ± 0.05 %', 'TPR 0.85, 30 % fails'],
  ]),
  ...rowsOf('8. Evidence by repetition and by few samples', evidence, [
    ['one eval of 100 of equal models', '2.1 %', 'one eval of 100'],
    ['one eval of 5', '6.0 %', 'one eval of 5'],
    ['any of 5 evals', '12 %', 'any of 5 evals of 100'],
    ['any of 10 evals', '22 %', 'any of 10 evals of 100'],
    ['any of 20 evals of 50', '42 %', 'any of 20 evals of 50'],
    ['any of 20 evals of 5', '72 %', 'any of 20 evals of 5'],
    [
      '500 samples, stopped at the first proof of 20',
      '24.4 ± 0.7 %',
      '500 samples, stopped at the first proof of 20 looks',
    ],
    ['no answer to 0.2', '96 %', 'loses 0.2, wins 0.4, ties 0.2, no answer to 0.2'],
  ]),
  ...rowsOf('9. Position bias is not warned of', evidence, [
    [
      'before: no warning at a bias of 0.3; now: accepted as evidence',
      'no rate',
      'wins 27.3 %, judge prefers the first in 30 %, bound 0.45',
    ],
  ]),
  ...rowsOf('10. Segments split too much', 'families of system prompts', [
    [
      'before: adjusted Rand index; now: orders of arrival in which it is at least 0.95',
      '0.747',
      'the adjusted Rand index is at least 0.95 over two processes, grouped',
    ],
    ['shuffled', '0.751', 'the adjusted Rand index is at least 0.95 over two processes, shuffled'],
    ['reversed', '0.731', 'the adjusted Rand index is at least 0.95 over two processes, reversed'],
    [
      'on applications that were written before the rules, 63 of them',
      '0.70',
      'the adjusted Rand index of reserved applications is at least 0.95 for 150 requests each',
    ],
    ['47 others', '0.69', 'the adjusted Rand index of unread applications is at least 0.95 for 150 requests each'],
    ['36 others', '0.76', 'the adjusted Rand index of final applications is at least 0.95 for 150 requests each'],
    [
      '30 others',
      '0.76',
      'the adjusted Rand index of once measured applications is at least 0.95 for 150 requests each',
    ],
    [
      '79 that were written after the rules: JSON, tools, long contexts, examples, twelve languages',
      '0.74',
      'the adjusted Rand index of structured applications is at least 0.95 for 150 requests each',
    ],
    [
      'mixed applications; before: 2 of 79 segments, of prompts that are JSON, and of two in Vietnamese',
      '2',
      'two applications are mixed',
    ],
  ]),
  ...rowsOf('11. The narrowest estimate is chosen', scan, [
    [
      'the 95 % interval misses, weak judge, 200 grades',
      '6.7 ± 0.18 %',
      '10 % fails, TPR 0.5, TNR 0.85, 200 random grades',
    ],
    ['200 grades, more fails', '6.4 ± 0.17 %', '25 % fails, TPR 0.5, TNR 0.85, 200 random grades'],
    [
      '100 grades and a calibration from elsewhere',
      '6.2 ± 0.17 %',
      '10 % fails, TPR 0.9, TNR 0.95, 100 random grades, calibrated',
    ],
  ]),
]

function rowsOf(defect: string, procedure: string, rows: readonly Row[]): readonly MeasuredBefore[] {
  return rows.map(([measured, before, world], index) => ({
    defect: index === 0 ? defect : '',
    measured,
    before,
    procedure,
    world,
  }))
}
