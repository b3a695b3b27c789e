import torch
import torch.nn as nn

# Channels of VGG16's convolutions; "M" is a pooling.
LAYERS = [64, 64, "M", 128, 128, "M", 256, 256, 256, "M",
          512, 512, 512, "M", 512, 512, 512, "M"]


class ModelNew(nn.Module):
    """Channels last, in memory."""

    def __init__(self, num_classes=1000):
        super().__init__()
        features, channels = [], 3
        for layer in LAYERS:
            if layer == "M":
                features.append(nn.MaxPool2d(2, 2))
                continue
            features += [nn.Conv2d(channels, layer, 3, padding=1), nn.ReLU(inplace=True)]
            channels = layer
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096), nn.ReLU(inplace=True), nn.Dropout(0.0),
            nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.0),
            nn.Linear(4096, num_classes),
        )
        self.packed = False

    def forward(self, x):
        if not self.packed:
            self.features.to(memory_format=torch.channels_last)
            self.packed = True
        x = self.features(x.contiguous(memory_format=torch.channels_last))
        return self.classifier(torch.flatten(x, 1))
