"""Why a number is so low: causes as changes of the model, and which of them fit what was measured."""
