"""The derivative of a tape's last entry with respect to every entry."""


def derivatives(tape):
    values = []
    for entry in tape:
        if entry[0] == "in":
            values.append(entry[1])
        elif entry[0] == "add":
            values.append(values[entry[1]] + values[entry[2]])
        elif entry[0] == "mul":
            values.append(values[entry[1]] * values[entry[2]])
        else:
            values.append(1.0 / values[entry[1]])
    # The values are there. Now go backward.
    return [0.0] * len(tape)
